/** The errors that operations throw for responses. */
import type { FieldError, Problem, ProblemCode, Suspension } from './generated/types.gen.ts';
import { readRetryAfter } from './retry-after.ts';

/** An error response. One without a problem comes from a proxy or from another server. */
export class ResponseError extends Error {
  override name = 'ResponseError';
  readonly status: number;
  readonly response: Response;
  /** The seconds to wait before a retry; undefined if the response does not tell. */
  readonly retryAfter: number | undefined;

  constructor(message: string, response: Response) {
    super(message);
    this.status = response.status;
    this.response = response;
    this.retryAfter = readRetryAfter(response);
  }
}

/** An error response of Potluck, with the fields of its body. */
export class ProblemError<C extends ProblemCode = ProblemCode> extends ResponseError implements Problem {
  override name = 'ProblemError';
  /** A server that is newer than this package may send codes that the type does not have. */
  readonly code: C;
  readonly type: string;
  readonly title: string;
  /** An explanation for people, which may change. Equals `message`. */
  readonly detail: string;
  readonly requestId: string;
  /** The invalid fields. */
  readonly errors: FieldError[];
  /** When and why an admin suspended the caller's account; undefined for other problems. */
  readonly suspension?: Suspension;

  constructor(problem: Problem & { code: C }, response: Response) {
    super(problem.detail, response);
    this.code = problem.code;
    this.type = problem.type;
    this.title = problem.title;
    this.detail = problem.detail;
    this.requestId = problem.requestId;
    this.errors = problem.errors ?? [];
    if (problem.suspension) this.suspension = problem.suspension;
  }
}

/** True for a problem with one of `codes`; without codes, for every problem. */
export function isProblem<C extends ProblemCode = ProblemCode>(
  error: unknown,
  ...codes: C[]
): error is ProblemError<C> {
  return error instanceof ProblemError && (codes.length === 0 || codes.includes(error.code as C));
}

/**
 * @param thrown the parsed JSON of an error response, or its text, or what prevented a response
 * @param response undefined if there is none
 */
export function toError(thrown: unknown, response: Response | undefined): Error {
  if (thrown instanceof Error) return thrown;
  if (!response) return new Error(`The request failed: ${thrown}`, { cause: thrown });
  if (isProblemBody(thrown)) return new ProblemError(thrown, response);
  return new ResponseError(`The server responded with ${response.status}.`, response);
}

const isProblemBody = (body: unknown): body is Problem =>
  typeof body === 'object' && body !== null && 'code' in body && 'detail' in body && 'requestId' in body;
