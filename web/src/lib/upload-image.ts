/** Uploads images from the browser to the API. */
import { m } from '#lib/paraglide/messages.js';

/** What file fields offer. */
export const imageTypes = 'image/jpeg,image/png,image/webp,image/avif';

/** The limit of the API, in bytes. A larger file is refused before its upload. */
const maxBytes = 10 * 1024 * 1024;

const problems: Record<string, () => string> = {
  image_invalid: m.problem_image_invalid,
  unsupported_media_type: m.problem_image_invalid,
  payload_too_large: m.problem_payload_too_large,
  storage_full: m.problem_storage_full,
  too_many_uploads: m.problem_too_many_uploads,
  too_many_requests: m.problem_too_many_requests,
  feature_disabled: m.problem_feature_disabled,
  storage_unavailable: m.problem_storage_unavailable,
  unavailable: m.problem_unavailable,
  token_missing: m.problem_token_missing,
  token_invalid: m.problem_token_invalid,
};

/** Returns the address of the image on this server, or why there is none. */
export async function uploadImage(file: File): Promise<{ url: string } | { problem: string }> {
  if (file.size > maxBytes) return { problem: m.problem_payload_too_large() };
  const response = await fetch('/v1/uploads', {
    method: 'POST',
    headers: { 'content-type': file.type || 'application/octet-stream' },
    body: file,
  }).catch(() => null);
  const body: { url?: string; code?: string } | undefined = await response?.json().catch(() => undefined);
  if (response?.ok && body?.url) return { url: body.url };
  return { problem: (problems[body?.code ?? ''] ?? m.problem_other)() };
}
