import {
  type AdminReport,
  type Client,
  deleteItem,
  getReport,
  hideEvent,
  listAudit,
  listReports,
  ProblemError,
  resolveReport,
  restoreAccount,
  showEvent,
  suspendAccount,
} from '@potluck/client';
import { isRemarkable } from '#lib/admin/moderation.ts';
import { readSubject, toCases } from '#lib/admin/server/reported-subject.ts';
import { textOf, texts } from '#lib/forms/texts.ts';
import { formAction } from '#lib/server/form-action.ts';
import { load as read } from '#lib/server/problems.ts';
import type { PageFields } from '#lib/server/read-fields.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import type { Actions, PageServerLoad } from './$types';

/** Reports that one press decides; a form with more fields is cut. */
const maxReports = 50;

export const load: PageServerLoad = async ({ locals, url, params: path }) => {
  requireAdmin(locals, url);
  const client = locals.api;
  const report = await read(getReport({ client, path }));
  const about = report.about.id;
  const [subject, found, entries] = await Promise.all([
    read(readSubject(client, report).then((data) => ({ data }))),
    read(listReports({ client, query: { aboutId: about, limit: maxReports } })),
    read(listAudit({ client, query: { userId: about, limit: 50 } })),
  ]);
  const others = found.data.filter(({ id }) => id !== report.id);
  const isOfCase = (other: AdminReport) =>
    other.subject.id === report.subject.id && other.status === report.status;
  return {
    report,
    /** Those that are decided together. */
    reports: [report, ...others.filter(isOfCase)],
    subject,
    others: await toCases(
      client,
      others.filter((other) => !isOfCase(other)),
      10,
    ),
    entries: entries.data.filter(isRemarkable).slice(0, 5),
  };
};

/** The address of a form of this page, which other pages show, too. */
const formOf = ({ path: { id } }: { path: { id: string } }, action: string) =>
  `/admin/reports/${id}?/${action}`;

/** The reports that a form decides together. */
const reportsOf = (form: PageFields) => ({ reports: form.getAll('report').map(textOf).slice(0, maxReports) });

/**
 * Changes the status of reports, one after the other.
 * @returns the ids of those that changed and of those that did not
 * @throws ProblemError if none changed
 */
async function changeAll(
  client: Client,
  ids: string[],
  body: { status: AdminReport['status']; note?: string },
) {
  const reports: string[] = [];
  const failed: string[] = [];
  for (const id of ids) {
    try {
      await resolveReport({ client, path: { id }, body });
      reports.push(id);
    } catch (error) {
      if (!(error instanceof ProblemError) || (id === ids.at(-1) && reports.length === 0)) throw error;
      failed.push(id);
    }
  }
  return { reports, failed };
}

const resolved = { status: 'resolved' } as const;
const open = { status: 'open' } as const;

export const actions: Actions = {
  resolve: formAction({
    access: 'admins',
    fields: (form) => ({ ...reportsOf(form), ...texts(form, 'note') }),
    send: ({ client }, { reports, note }) =>
      changeAll(client, reports, { ...resolved, ...(note && { note }) }),
    done: (changed, _, sent) => ({ done: 'resolved' as const, undo: formOf(sent, 'reopen'), ...changed }),
  }),

  reopen: formAction({
    access: 'admins',
    fields: reportsOf,
    send: ({ client }, { reports }) => changeAll(client, reports, open),
    done: (changed) => ({ done: 'reopened' as const, ...changed }),
  }),

  /** Suspends the person whom the reports are about, which resolves the reports. */
  suspend: formAction({
    access: 'admins',
    fields: (form) => ({ ...reportsOf(form), ...texts(form, 'reason') }),
    send: async ({ client, path }, { reports, reason }) => {
      const { data: report } = await getReport({ client, path });
      await suspendAccount({ client, path: { id: report.about.id }, body: reason ? { reason } : {} });
      return changeAll(client, reports, resolved);
    },
    done: (changed, _, sent) => ({ done: 'suspended' as const, undo: formOf(sent, 'restore'), ...changed }),
  }),

  restore: formAction({
    access: 'admins',
    fields: reportsOf,
    send: async ({ client, path }, { reports }) => {
      const { data: report } = await getReport({ client, path });
      await restoreAccount({ client, path: { id: report.about.id } });
      return changeAll(client, reports, open);
    },
    done: (changed) => ({ done: 'restored' as const, ...changed }),
  }),

  /** Hides the event, which resolves its reports. */
  hide: formAction({
    access: 'admins',
    fields: (form) => texts(form, 'id', 'reason'),
    send: ({ client }, { id, reason }) => hideEvent({ client, path: { id }, body: { reason } }),
    done: (_, { id }, sent) => ({ done: 'hidden' as const, undo: formOf(sent, 'show'), id }),
  }),

  show: formAction({
    access: 'admins',
    fields: (form) => texts(form, 'id'),
    send: ({ client }, path) => showEvent({ client, path }),
    done: () => ({ done: 'shown' as const }),
  }),

  deleteItem: formAction({
    access: 'admins',
    fields: (form) => texts(form, 'id'),
    send: ({ client }, path) => deleteItem({ client, path }),
    done: () => ({ done: 'itemDeleted' as const }),
  }),
};
