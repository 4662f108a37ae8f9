/** The views of what organizers and guests write to each other: announcements, comments, requests and invitations. */
import {
  type Body,
  brief,
  forOrganizer,
  isOrganizer,
  maySee,
  needsToken,
  notFound,
  ok,
  page,
  refusal,
  sub,
  type View,
} from './view.ts';
import type { Name, Viewer, World } from './world.ts';

/** @param listed the event as lists show it to a viewer */
export function talkViews(
  { people, events, announcement, comment, request, invitation }: World,
  listed: (name: keyof World['events'], viewer: Viewer) => object,
): View[] {
  const { open, draft, jam } = events;
  const visible = (view: (viewer: Viewer) => Body) => (viewer: Viewer) =>
    maySee('draft', viewer) ? view(viewer) : notFound;
  const [olga, guest, hermit] = [people.olga, people.guest, people.hermit].map(brief);
  const announced = (viewer: Viewer) => ({
    ...announcement,
    ...{ author: olga, audience: ['going'], status: 'sent', editedAt: null },
    ...(isOrganizer(viewer) && { recipients: 2 }),
  });
  const readsComments = (viewer: Viewer) => isOrganizer(viewer) || ['guest', 'stranger'].includes(viewer);
  const invited = (viewer: Name) => ({
    ...invitation,
    ...{ name: null, user: hermit, status: 'pending', extraGuests: 0, reply: null, delivery: 'sent' },
    ...{ maxUses: 1, uses: 0, expiresAt: null, answeredAt: null, remindedAt: null },
    ...(viewer && { email: null, phone: null, url: null }),
  });
  const counts = { pending: 1, going: 0, interested: 0, declined: 0 };
  const received = {
    id: invitation.id,
    event: listed('draft', 'hermit'),
    invitedBy: olga,
    message: 'Quill invites you',
    status: 'pending',
  };
  const asked = {
    user: hermit,
    status: 'pending',
    ...{ answer: 'going', extraGuests: 1, message: 'Quill asks', createdAt: request.createdAt },
  };
  return [
    {
      ...sub(open, 'announcements'),
      expected: (viewer) => page(isOrganizer(viewer) || viewer === 'guest' ? [announced(viewer)] : []),
    },
    { ...sub(draft, 'announcements'), expected: visible(() => page([])) },
    {
      ...sub(open, 'announcements/recipients'),
      expected: forOrganizer('open', () => ok({ recipients: 3 })),
    },
    {
      ...sub(open, 'comments'),
      expected: (viewer) =>
        readsComments(viewer)
          ? page([{ ...comment, author: guest, isOrganizer: false, replyTo: null }])
          : refusal(403, 'comments_private'),
    },
    { ...sub(draft, 'comments'), expected: visible(() => page([])) },
    { ...sub(open, 'requests'), expected: forOrganizer('open', () => page([])) },
    { ...sub(draft, 'requests'), expected: forOrganizer('draft', () => page([])) },
    {
      ...sub(jam, 'requests'),
      expected: (viewer) =>
        needsToken(viewer, () =>
          viewer === 'stranger' || viewer === 'admin' ? page([asked]) : refusal(403, 'not_organizer'),
        ),
    },
    {
      ...sub(open, 'invitations'),
      expected: forOrganizer('open', () =>
        ok({ data: [], nextCursor: null, counts: { ...counts, pending: 0 } }),
      ),
    },
    {
      ...sub(draft, 'invitations'),
      expected: forOrganizer('draft', (viewer) => ok({ data: [invited(viewer)], nextCursor: null, counts })),
    },
    {
      path: `/v1/invitations/${invitation.id}`,
      missing: '/v1/invitations/x',
      expected: (viewer) => {
        const expected = forOrganizer('draft', (name) => ok(invited(name)))(viewer);
        return expected === notFound ? refusal(404, 'invitation_not_found') : expected;
      },
    },
    {
      path: '/v1/me/invitations',
      expected: (viewer) => needsToken(viewer, () => page(viewer === 'hermit' ? [received] : [])),
    },
    { path: '/v1/me/guests', expected: (viewer) => needsToken(viewer, () => ok({ data: [] })) },
  ];
}
