/** The log, as the export of its lines knows it. Without an export, the logger has no further options. */
import type { LoggerOptions } from 'pino';
import { activeTracer, currentSpan, type Span } from './span.ts';

/** The key of a mark: a line whose fields have it is not exported, because it has a secret for the operator alone. */
export const notExported = Symbol('not exported');

let exportLine: ((line: string) => void) | undefined;

export const useLogExport = (value: ((line: string) => void) | undefined): void => {
  exportLine = value;
};

/** Options of pino: lines that work of a trace writes have its ids, and all lines are exported. */
export function telemetryOptions(): Pick<LoggerOptions, 'mixin' | 'hooks'> {
  return {
    ...(activeTracer() && { mixin: () => idsOf(currentSpan()) }),
    ...(exportLine && { hooks: exportHooks(exportLine) }),
  };
}

/** Of a line that is written outside the work of the span. */
export const idsOf = (span: Span | undefined): object =>
  span ? { trace_id: span.traceId, span_id: span.spanId } : {};

/** pino calls the second hook within the first one. */
function exportHooks(exportLine: (line: string) => void): NonNullable<LoggerOptions['hooks']> {
  let isExported = true;
  return {
    logMethod(args, write) {
      const [fields] = args as unknown[];
      isExported = !(typeof fields === 'object' && fields !== null && notExported in fields);
      write.apply(this, args);
    },
    streamWrite(line) {
      if (isExported) exportLine(line);
      return line;
    },
  };
}
