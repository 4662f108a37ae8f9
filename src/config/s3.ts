/** The bucket of images. */
import type { Reader } from './reader.ts';

/**
 * An S3 bucket. Default endpoint: Amazon's. Default keys: those of the machine, as the AWS SDK finds them.
 */
export type S3Config = {
  bucket: string;
  region: string;
  endpoint: string | undefined;
  keys: { accessKeyId: string; secretAccessKey: string } | undefined;
};

export function readS3(read: Reader): S3Config | undefined {
  const bucket = read.text('S3_BUCKET');
  const [accessKeyId, secretAccessKey] = [read.text('S3_ACCESS_KEY_ID'), read.text('S3_SECRET_ACCESS_KEY')];
  const endpoint = read.url('S3_ENDPOINT', ['http:', 'https:']);
  if (bucket === undefined) {
    // The operator intends to use a bucket; without this check, images would be stored in a directory.
    if (endpoint ?? accessKeyId ?? secretAccessKey ?? read.text('S3_REGION'))
      read.needed('S3_BUCKET', 'the other S3 variables need it');
    return undefined;
  }
  if (!/^[a-z\d][\w.-]{1,254}$/i.test(bucket))
    read.faults.push(
      `S3_BUCKET is "${bucket}"; it must be the name of a bucket, without s3:// and without a path.`,
    );
  const region = read.text('S3_REGION') ?? 'us-east-1';
  if (!/^[\w-]+$/.test(region))
    read.faults.push(`S3_REGION is "${region}"; it must be the code of a region, such as eu-north-1.`);
  if (endpoint !== undefined && /[?#@]/.test(endpoint))
    read.faults.push(
      'S3_ENDPOINT must have no user, no query and no fragment: the keys are variables of their own.',
    );
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    read.faults.push('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY go together: set both, or neither.');
  const keys = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
  return { bucket, region, endpoint, keys };
}
