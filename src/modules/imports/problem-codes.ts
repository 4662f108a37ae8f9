/** Why nothing comes of a file or an address. */
export const problemCodes = [
  'file_unreadable',
  'payload_too_large',
  'date_order',
  'source_unreachable',
  'source_unreadable',
] as const;
export type ImportProblemCode = (typeof problemCodes)[number];
export type ImportProblem = { code: ImportProblemCode; detail: string };
