/** The reason why the embedded database cannot run, in one or more lines for the operator. */
export class EmbeddedError extends Error {}
