/** Uploads an image from the browser to the API. */
import type { Problem, Upload } from '@potluck/client';
import { m } from '#lib/messages/index.js';

const maxBytes = 10 * 1024 ** 2;
const accepted = ['image/jpeg', 'image/png', 'image/webp'];
/** The API scales larger images down. In pixels. */
const maxSide = 2_048;

/** @returns the address of the image, or why it was refused */
export async function uploadImage(file: File): Promise<{ url: string } | { error: string }> {
  if (file.size > maxBytes) return { error: m.organizer_cover_too_large({ size: inMegabytes(file.size) }) };
  // The API does not read AVIF. The browsers that do convert it.
  const image = accepted.includes(file.type) ? file : await toJpeg(file);
  if (!image) return { error: m.problem_image_invalid() };
  try {
    const response = await fetch('/v1/uploads', {
      method: 'POST',
      headers: { 'content-type': image.type },
      body: image,
    });
    if (response.ok) return { url: ((await response.json()) as Upload).url };
    return { error: textOf(((await response.json()) as Problem).code) };
  } catch {
    return { error: m.organizer_connection_lost() };
  }
}

const inMegabytes = (bytes: number): string => (bytes / 1024 ** 2).toFixed(1);

/** Null for a file that the browser cannot read as an image. */
async function toJpeg(file: File): Promise<Blob | null> {
  try {
    const bitmap = await createImageBitmap(file);
    const scale = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.9));
  } catch {
    return null;
  }
}

function textOf(code: string): string {
  switch (code) {
    case 'image_invalid':
    case 'unsupported_media_type':
      return m.problem_image_invalid();
    case 'payload_too_large':
      return m.problem_payload_too_large();
    case 'storage_full':
      return m.problem_storage_full();
    case 'too_many_uploads':
      return m.problem_too_many_uploads();
    case 'feature_disabled':
      return m.problem_feature_disabled();
    case 'token_missing':
    case 'token_invalid':
      return m.problem_token_invalid();
    default:
      return m.problem_storage_unavailable();
  }
}
