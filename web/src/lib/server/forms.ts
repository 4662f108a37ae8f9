/** Returns the text fields of a form, without surrounding spaces. Of a repeated field, the last one counts. */
export async function readForm(request: Request): Promise<Partial<Record<string, string>>> {
  const fields: Record<string, string> = {};
  for (const [name, value] of await request.formData()) {
    if (typeof value === 'string') fields[name] = value.trim();
  }
  return fields;
}
