/** Versions of responses of the API: a response whose version is the same has the same content. */
import { contentHash } from '../../http/conditional.ts';
import { readFeatures } from '../../modules/admin/get-features.ts';
import type { Features } from '../../modules/admin/schemas.ts';
import { readEvent } from '../../modules/events/get-event.ts';
import { readItemList } from '../../modules/items/list-items.ts';
import type { ItemServices } from '../../modules/items/services.ts';
import type { FetchApi } from './api-calls.ts';

export type VersionServices = Pick<
  ItemServices,
  | 'changeLog'
  | 'events'
  | 'people'
  | 'viewerStates'
  | 'config'
  | 'items'
  | 'findClaimants'
  | 'flags'
  | 'instance'
>;

type SuccessfulResponse = { headers: Headers; body: Buffer };

/** The version of a successful response. */
export const versionOfResponse = (path: string, { headers, body }: SuccessfulResponse): string =>
  path === featuresPath
    ? versionOfFeatures(JSON.parse(body.toString()) as Features)
    : (headers.get('etag') ?? contentHash(body));

const featuresPath = '/v1/features';
const versionOfFeatures = (features: Features): string => Object.entries(features).sort().join();

const eventPath = /^\/v1\/events\/([^/?]+)(\/items)?$/;

/**
 * Reads the current version of a response to a caller without a token. The responses that every event page has are read
 * without a request, which would take several times as long.
 * @returns rejects if the response is not successful
 */
export async function readVersion(
  services: VersionServices,
  path: string,
  fetchApi: FetchApi,
): Promise<string> {
  if (path === featuresPath) return versionOfFeatures(await readFeatures(services));
  const [isEventRead, id = '', isItemList] = eventPath.exec(path) ?? [];
  // As before the handlers of these endpoints.
  if (isEventRead) await services.changeLog.catchUp();
  if (isItemList) return contentHash(await readItemList(services, id, null));
  if (isEventRead) return (await readEvent(services, id, null)).etag;
  const response = await fetchApi(new Request(new URL(path, services.config.publicUrl)));
  if (response.status !== 200) throw new Error(`${path} has no version`);
  const body = Buffer.from(await response.arrayBuffer());
  return versionOfResponse(path, { headers: response.headers, body });
}
