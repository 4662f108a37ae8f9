/** What a failure at the provider means for the person, and what the log says about it: no token, code or claim. */
import type { FastifyBaseLogger } from 'fastify';
import { Unavailable } from '#base';
import { Problem } from '../../../lib/errors.ts';
import type { ProblemCode } from '../../../lib/problem-catalogue.ts';

/** The codes of responses that have arrived, but prove nothing. */
const invalidResponse =
  /^OAUTH_(INVALID_RESPONSE|JWT_CLAIM_COMPARISON_FAILED|JWT_TIMESTAMP_CHECK_FAILED|JSON_ATTRIBUTE_COMPARISON_FAILED|KEY_SELECTION_FAILED|PARSE_ERROR|UNSUPPORTED_OPERATION)$/;

/** An error of openid-client, of `fetch`, or of this server. `error`: the code of an error that the provider reports. */
type Failure = Error & { code?: string; error?: string; status?: number; cause?: unknown };

/**
 * Returns the problem of a failure, and logs what the person cannot help.
 * @param isDescribed false if the provider has not described itself: no sign-in was refused then
 */
export function problemOf(failure: unknown, log: FastifyBaseLogger, isDescribed: boolean): Problem {
  const { code, error, status, message, cause } = failure as Failure;
  const problemCode = isDescribed ? problemCodeOf(code, error) : 'oidc_unavailable';
  const problem =
    failure instanceof Problem
      ? failure
      : new Problem(failure instanceof Unavailable ? 'unavailable' : problemCode);
  if (problem.code === 'oidc_cancelled' || problem.code === 'oidc_expired') return problem;
  const { code: causeCode, message: reason } = cause instanceof Error ? (cause as Failure) : {};
  const reported = /^\w{1,40}$/.test(error ?? '') ? error : undefined;
  log.error(
    { problem: problem.code, code, reported, status, causeCode, reason: reason ?? message },
    'a sign-in with the OpenID Connect provider failed',
  );
  return problem;
}

function problemCodeOf(code: string | undefined, error: string | undefined): ProblemCode {
  if (error === 'access_denied') return 'oidc_cancelled';
  // The code was used before, or is too old.
  if (error === 'invalid_grant') return 'oidc_expired';
  return invalidResponse.test(code ?? '') ? 'oidc_invalid' : 'oidc_unavailable';
}
