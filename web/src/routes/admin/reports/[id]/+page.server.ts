import {
  deleteItem,
  getReport,
  listAudit,
  listReports,
  resolveReport,
  restoreAccount,
  suspendAccount,
  updateEvent,
} from '@potluck/client';
import { isRemarkable } from '#lib/people/admin.ts';
import { formAction, texts } from '#lib/server/form-action.ts';
import { load as read } from '#lib/server/problems.ts';
import { readSubject, withSubjects } from '#lib/server/reported-subject.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url, params: path }) => {
  requireAdmin(locals, url);
  const client = locals.api;
  const report = await read(getReport({ client, path }));
  const about = report.about.id;
  const [subject, others, entries] = await Promise.all([
    read(readSubject(client, report).then((data) => ({ data }))),
    read(listReports({ client, query: { aboutId: about, limit: 10 } })),
    read(listAudit({ client, query: { userId: about, limit: 50 } })),
  ]);
  const isOther = ({ id }: { id: string }) => id !== report.id;
  return {
    report,
    subject,
    others: await withSubjects(client, others.data.filter(isOther)),
    entries: entries.data.filter(isRemarkable).slice(0, 5),
  };
};

/** The address of a form of this page, which other pages show, too. */
const formOf = ({ path: { id } }: { path: { id: string } }, action: string) =>
  `/admin/reports/${id}?/${action}`;

const resolved = { status: 'resolved' } as const;
const open = { status: 'open' } as const;

export const actions: Actions = {
  resolve: formAction({
    fields: (form) => texts(form, 'note'),
    send: ({ client, path }, { note }) =>
      resolveReport({ client, path, body: { ...resolved, ...(note && { note }) } }),
    done: (_, __, sent) => ({ done: 'resolved' as const, undo: formOf(sent, 'reopen') }),
  }),

  reopen: formAction({
    send: ({ client, path }) => resolveReport({ client, path, body: open }),
    done: () => ({ done: 'reopened' as const }),
  }),

  /** Suspends the person whom the report is about, which resolves the report. */
  suspend: formAction({
    fields: (form) => texts(form, 'reason'),
    send: async ({ client, path }, { reason }) => {
      const { data: report } = await getReport({ client, path });
      await suspendAccount({ client, path: { id: report.about.id }, body: reason ? { reason } : {} });
      await resolveReport({ client, path, body: resolved });
    },
    done: (_, __, sent) => ({ done: 'suspended' as const, undo: formOf(sent, 'restore') }),
  }),

  restore: formAction({
    send: async ({ client, path }) => {
      const { data: report } = await getReport({ client, path });
      await restoreAccount({ client, path: { id: report.about.id } });
      await resolveReport({ client, path, body: open });
    },
    done: () => ({ done: 'restored' as const }),
  }),

  /** `previous`: the visibility to which the event returns. */
  hide: formAction({
    fields: (form) => texts(form, 'id', 'previous'),
    send: ({ client }, { id }) => updateEvent({ client, path: { id }, body: { visibility: 'private' } }),
    done: (_, event, sent) => ({ done: 'hidden' as const, undo: formOf(sent, 'show'), ...event }),
  }),

  show: formAction({
    fields: (form) => texts(form, 'id', 'previous'),
    send: ({ client }, { id, previous }) =>
      updateEvent({
        client,
        path: { id },
        body: { visibility: previous === 'unlisted' ? 'unlisted' : 'public' },
      }),
    done: () => ({ done: 'shown' as const }),
  }),

  deleteItem: formAction({
    fields: (form) => texts(form, 'id'),
    send: ({ client }, path) => deleteItem({ client, path }),
    done: () => ({ done: 'itemDeleted' as const }),
  }),
};
