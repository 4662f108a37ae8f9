import { ResponseError } from './problem-error.ts';
import type { Send } from './retry.ts';

/**
 * The API has no HTML. A page with a success comes from something between the client and the server, such as the sign-in of a
 * wireless network, or from a `baseUrl` that is not that of the API.
 * @throws ResponseError for such a page
 */
export const refuseHtml =
  (send: Send): Send =>
  async (request) => {
    const response = await send(request);
    if (!response.ok || !/^text\/html\b/i.test(response.headers.get('content-type') ?? '')) return response;
    await response.body?.cancel();
    throw new ResponseError('The response is an HTML page, so it does not come from the API.', response);
  };
