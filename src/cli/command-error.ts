/** Foreseen: said in a line, without a stack. */
export class CommandError extends Error {}
