/** Reads the messages that a client sends to PostgreSQL. */

const types = {
  P: 'Parse',
  B: 'Bind',
  D: 'Describe',
  E: 'Execute',
  C: 'Close',
  S: 'Sync',
  Q: 'Query',
} as const;

/** @returns a function that reads the bytes of one connection from its beginning, and returns the types of complete messages */
export function frontendMessages(): (bytes: Buffer) => string[] {
  let buffer = Buffer.alloc(0);
  let hasStarted = false;
  return (bytes) => {
    buffer = Buffer.concat([buffer, bytes]);
    const messages: string[] = [];
    for (;;) {
      // The first message, with the name of the user, has no type.
      const typeLength = hasStarted ? 1 : 0;
      if (buffer.length < typeLength + 4) return messages;
      const length = typeLength + buffer.readInt32BE(typeLength);
      if (buffer.length < length) return messages;
      if (hasStarted) {
        const code = buffer.toString('latin1', 0, 1);
        messages.push(types[code as keyof typeof types] ?? code);
      }
      hasStarted = true;
      buffer = buffer.subarray(length);
    }
  };
}
