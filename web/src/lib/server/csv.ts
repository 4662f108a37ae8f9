/** Tables for spreadsheets. */
import { byteOrderMark, type Row, toCsv } from '../../../../src/lib/user-texts/csv.ts';

export type { Row };

/** A file whose rows are read as the client receives it. */
export const csvResponse = (name: string, head: Row, rows: AsyncGenerator<Row[]>): Response =>
  new Response(toStream(rows, head), {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}"`,
    },
  });

function toStream(rows: AsyncGenerator<Row[]>, head: Row): ReadableStream {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(byteOrderMark + toCsv([head]))),
    async pull(controller) {
      const { done, value } = await rows.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(toCsv(value)));
    },
    async cancel() {
      await rows.return(undefined);
    },
  });
}
