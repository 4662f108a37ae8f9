import type { Config } from '../config/config.ts';
import { createDocument } from '../server/create-document.ts';

/** `openapi`: prints the OpenAPI document of a server with this configuration. */
export async function openapiCommand(config: Config): Promise<void> {
  const document = `${JSON.stringify(await createDocument(config), null, 2)}\n`;
  // The process ends soon after the command, and a pipe takes the text in parts.
  await new Promise<void>((resolve) => process.stdout.write(document, () => resolve()));
}
