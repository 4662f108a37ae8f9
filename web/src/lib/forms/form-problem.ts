/** What a form shows after the API refused it. Texts are in the visitor's language. */
export type FormProblem = {
  code: string;
  message: string;
  /** By field, as the API names it, such as `location.address`. */
  fields: Record<string, string>;
};
