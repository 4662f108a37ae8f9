/**
 * An error that the operator can fix. The process prints its message without a stack trace and exits with
 * code 1.
 */
export class CommandError extends Error {}
