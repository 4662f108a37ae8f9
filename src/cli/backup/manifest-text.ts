/** What a backup contains, in words. */
import type { ImageCounts } from './archive.ts';
import type { Contents } from './read-archive.ts';

const [KiB, MiB, GiB] = [1024, 1024 ** 2, 1024 ** 3];

export function sizeText(bytes: number): string {
  const [unit, name] = ([GiB, MiB, KiB] as const)
    .map((each, i) => [each, ['GiB', 'MiB', 'KiB'][i]] as const)
    .find(([each]) => bytes >= each) ?? [1, 'bytes'];
  return `${unit === 1 ? bytes : (bytes / unit).toFixed(1)} ${name}`;
}

/** `1200 rows of 30 tables, and 10 images of 2.0 MiB` */
export function describeContents({ rows, images }: Pick<Contents, 'rows' | 'images'>): string {
  const ofImages = images.count > 0 ? `${images.count} images of ${sizeText(images.bytes)}` : 'no images';
  return `${describeRows(rows)}, and ${ofImages}`;
}

/** `1200 rows of 30 tables` */
export function describeRows(rows: Contents['rows']): string {
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return `${total} rows of ${Object.keys(rows).length} tables`;
}

/** A sentence for images that the database names and the backup lacks; none for each other case. */
export function describeMissing(images: ImageCounts | null): string[] {
  if (!images) return [];
  const deleted = `${images.deleted} images were deleted while the backup was made, and are not in it.`;
  const lost = `${images.lost} images have no file, and are not in the backup: their files were lost before.`;
  return [...(images.deleted > 0 ? [deleted] : []), ...(images.lost > 0 ? [lost] : [])];
}
