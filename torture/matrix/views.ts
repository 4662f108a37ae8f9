/**
 * The whole body of every read for every viewer of the world, written by hand: what the viewer may see, and
 * nothing else.
 */
import { initialValues } from '../../test/operations/event-fields.ts';
import { initialProfile } from '../../test/operations/profile-fields.ts';
import { talkViews } from './talk-views.ts';
import {
  avatar,
  type Body,
  brief,
  briefGuest,
  forOrganizer,
  isOrganizer,
  maySee,
  needsToken,
  noId,
  notFound,
  ok,
  page,
  refusal,
  someText,
  someTime,
  sub,
  type View,
} from './view.ts';
import {
  type Name,
  type Profile,
  publicUrl,
  type Viewer,
  type World,
  type WorldEvent,
  type WorldItem,
} from './world.ts';

export function viewsOf(world: World): View[] {
  return [
    ...peopleViews(world),
    ...eventViews(world),
    ...talkViews(world, (name, viewer) => listed(world, name, viewer)),
    ...ownViews(world),
    ...adminViews(world),
  ];
}

const follows: [Name, Name][] = [
  ['guest', 'olga'],
  ['olga', 'guest'],
  ['hermit', 'guest'],
];
const isFollowing = (viewer: Viewer, name: Name) =>
  follows.some(([from, to]) => from === viewer && to === name);
const countsOf = (name: Name) => ({
  followersCount: follows.filter(([, to]) => to === name).length,
  followingCount: follows.filter(([from]) => from === name).length,
  // Public and scheduled events alone.
  eventsCount: ['olga', 'blocked', 'stranger'].includes(name) ? 1 : 0,
});
/** Olga has blocked `blocked`: neither finds the other. */
const isHiddenFrom = (viewer: Viewer, name: Name) =>
  (viewer === 'olga' && name === 'blocked') || (viewer === 'blocked' && name === 'olga');
/** In lists, a private profile has no bio. */
const found = (person: Profile, viewer: Viewer, name: Name) => ({
  ...brief(person),
  bio: name === 'hermit' ? '' : person.bio,
  isFollowing: isFollowing(viewer, name),
});

function peopleViews({ people }: World): View[] {
  const mayVisitHermit = (viewer: Viewer) => ['hermit', 'guest', 'admin'].includes(viewer);
  const everyone = Object.keys(people) as Name[];
  const listOf = (names: Name[], viewer: Viewer) =>
    names.filter((name) => !isHiddenFrom(viewer, name)).map((name) => found(people[name], viewer, name));
  const ofHermit = (view: (viewer: Viewer) => Body) => (viewer: Viewer) =>
    mayVisitHermit(viewer) ? view(viewer) : refusal(403, 'profile_private');
  const profiles = everyone.map((name): View => {
    const profile = (viewer: Viewer) =>
      ok({
        ...brief(people[name]),
        bio: people[name].bio,
        ...countsOf(name),
        isFollowing: isFollowing(viewer, name),
        isBlocked: viewer === 'olga' && name === 'blocked',
      });
    return {
      path: `/v1/users/${people[name].id}`,
      expected: name === 'hermit' ? ofHermit(profile) : profile,
    };
  });
  const ownProfile = (name: Name) => {
    const { phone, city, bio, createdAt } = people[name];
    const own = {
      ...initialProfile,
      phone,
      email: null,
      oidc: null,
      language: 'en',
      city,
      bio,
      createdAt,
      role: name === 'admin' ? 'admin' : 'user',
    };
    const { hasAccount: _, ...named } = brief(people[name]);
    return { ...named, ...own, isPrivate: name === 'hermit', ...countsOf(name) };
  };
  const byName = (names: Name[]) => names.toSorted((a, b) => (people[a].name < people[b].name ? -1 : 1));
  return [
    ...profiles,
    {
      path: '/v1/users/search?q=quill',
      expected: (viewer) => needsToken(viewer, () => ok({ data: listOf(byName(everyone), viewer) })),
    },
    {
      path: `/v1/users/${people.guest.id}/followers`,
      expected: (viewer) => page(listOf(['olga', 'hermit'], viewer)),
    },
    { path: `/v1/users/${people.guest.id}/following`, expected: (viewer) => page(listOf(['olga'], viewer)) },
    {
      path: `/v1/users/${people.hermit.id}/following`,
      expected: ofHermit((viewer) => page(listOf(['guest'], viewer))),
    },
    { path: `/v1/users/${people.hermit.id}/followers`, expected: ofHermit(() => page([])) },
    { path: `/v1/users/${people.hermit.id}/events`, expected: ofHermit(() => page([])) },
    { path: '/v1/auth/me', expected: (viewer) => needsToken(viewer, () => ok(ownProfile(viewer as Name))) },
  ];
}

/** The viewer's own state of the event `open`. */
const stateOf = (viewer: Viewer, isOpen: boolean) => {
  if (viewer === 'anonymous') return {};
  const rsvp = { guest: 'going', stranger: 'interested' }[viewer as string] ?? null;
  return { myRsvp: isOpen ? rsvp : null, isSaved: isOpen && viewer === 'guest' };
};

function commonOf(event: WorldEvent, isOpen: boolean) {
  return {
    id: event.id,
    title: event.title,
    description: `About ${event.title}.`,
    coverUrl: `${publicUrl}/v1/events/${event.id}/cover.svg?category=food`,
    startAt: event.startAt,
    endAt: event.endAt,
    allDay: false,
    timezone: 'Europe/Oslo',
    coverFocus: 'center',
    location: { ...event.location, isExact: true },
    locationKind: 'place',
    hasOnlineUrl: false,
    series: null,
    isAddressHidden: false,
    category: { slug: 'food', name: 'Food & drink', emoji: '🍲' },
    price: 0,
    isPriceKnown: false,
    currency: 'EUR',
    capacity: event.capacity,
    rsvpCount: isOpen ? 3 : 0,
    goingCount: isOpen ? 2 : 0,
    partyCount: isOpen ? 2 : 0,
    visibility: event.visibility,
    status: event.status,
    createdAt: event.createdAt,
    updatedAt: someTime,
  };
}

const listed = ({ events }: World, name: keyof World['events'], viewer: Viewer) => ({
  ...commonOf(events[name], name === 'open'),
  ...stateOf(viewer, name === 'open'),
});

const pledge = { quantity: 2, note: 'Rye' };

const itemOf = (item: WorldItem, claimed: number) => ({
  id: item.id,
  title: item.title,
  kind: item.kind,
  quantityNeeded: item.quantityNeeded,
  quantityClaimed: claimed,
  emoji: item.kind === 'bring' ? '🥘' : '🎁',
  version: someText,
  claimsVersion: claimed > 0 ? 1 : 0,
  imageUrl: null,
  link: null,
});

function eventViews(world: World): View[] {
  const { people, events, items, claim, booking, added, invitation } = world;
  const names = Object.keys(events) as (keyof World['events'])[];
  const ownInvitation = {
    ...{ id: invitation.id, status: 'pending', reply: null },
    ...{ invitedBy: brief(people.olga), message: 'Quill invites you' },
  };
  const records = names.map((name): View => {
    const organizer = people[events[name].organizer];
    const record = (viewer: Viewer) => ({
      ...commonOf(events[name], name === 'open'),
      ...stateOf(viewer, name === 'open'),
      organizer: { id: organizer.id, name: organizer.name, avatar: avatar(organizer) },
      bookedCount: name === 'open' ? 2 : 0,
      ...initialValues(({ inLists }) => !inLists),
      ...(name === 'jam' && { rsvpApproval: 'organizer' }),
      myBooking:
        name === 'open' && viewer === 'guest'
          ? { id: booking.id, seats: 2, createdAt: booking.createdAt }
          : null,
      myWaitlist: null,
      ...(viewer !== 'anonymous' && {
        myExtraGuests: 0,
        isRsvpHidden: false,
        myRequest: name === 'jam' && viewer === 'hermit' ? 'pending' : null,
        myInvitation: name === 'draft' && viewer === 'hermit' ? ownInvitation : null,
      }),
      ...((viewer === events[name].organizer || viewer === 'admin') && { hidden: null }),
    });
    return {
      path: `/v1/events/${events[name].id}`,
      missing: `/v1/events/${noId}`,
      expected: (viewer) => (maySee(name, viewer) ? ok(record(viewer)) : notFound),
    };
  });
  const inLists = (viewer: Viewer) =>
    (['open', 'blockedParty', 'jam'] as const)
      .filter((name) => viewer !== 'olga' || name !== 'blockedParty')
      .map((name) => listed(world, name, viewer));
  const list = (viewer: Viewer) => {
    const data = inLists(viewer);
    return ok({ data, meta: { total: data.length, page: 1, limit: 20 } });
  };
  const claimant = { name: people.guest.name, avatar: avatar(people.guest), ...pledge };
  const itemList = (viewer: Viewer, of: WorldItem[]) =>
    ok({
      data: of.map((item) => ({
        ...itemOf(item, item === items.bread ? 2 : 0),
        ...(viewer !== 'anonymous' && {
          myClaim: viewer === 'guest' && item === items.bread ? { id: claim.id, ...pledge } : null,
        }),
        ...(isOrganizer(viewer) && { claims: item === items.bread ? [claimant] : [] }),
      })),
    });
  const guest = brief(people.guest);
  const given = {
    id: claim.id,
    itemId: items.bread.id,
    user: guest,
    ...pledge,
    createdAt: claim.createdAt,
  };
  const booked = { id: booking.id, seats: 2, status: 'booked', position: null, createdAt: booking.createdAt };
  const { open, draft } = events;
  const guestOf = (name: Name, status: string, viewer: Viewer) => ({
    user: found(people[name], viewer, name),
    status,
    extraGuests: 0,
    isHidden: false,
    isAdded: false,
    createdAt: someTime,
  });
  const addedGuest = {
    ...{ user: { ...briefGuest(added), bio: '', isFollowing: false }, status: 'going', extraGuests: 0 },
    ...{ isHidden: false, isAdded: true, createdAt: someTime },
  };
  const guestList = (viewer: Viewer) =>
    isOrganizer(viewer)
      ? page([guestOf('guest', 'going', viewer), addedGuest, guestOf('stranger', 'interested', viewer)])
      : refusal(403, 'guest_list_private');
  return [
    ...records,
    { path: '/v1/events', expected: list },
    { path: '/v1/events?q=quill', expected: list },
    { path: '/v1/events/search?q=quill', expected: list },
    { path: '/v1/events?q=draft', expected: () => ok({ data: [], meta: { total: 0, page: 1, limit: 20 } }) },
    {
      path: `/v1/users/${people.olga.id}/events`,
      expected: (viewer) => page([listed(world, 'open', viewer)]),
    },
    { ...sub(open, 'items'), expected: (viewer) => itemList(viewer, [items.bread, items.kettle]) },
    {
      ...sub(draft, 'items'),
      expected: (viewer) => (maySee('draft', viewer) ? itemList(viewer, [items.secret]) : notFound),
    },
    {
      ...sub(open, 'booking'),
      expected: (viewer) =>
        needsToken(viewer, () =>
          viewer === 'guest'
            ? ok({ ...booked, eventId: open.id, userId: people.guest.id })
            : refusal(404, 'booking_not_found'),
        ),
    },
    { ...sub(open, 'bookings'), expected: forOrganizer('open', () => page([{ ...booked, user: guest }])) },
    { ...sub(draft, 'bookings'), expected: forOrganizer('draft', () => page([])) },
    { ...sub(open, 'guests'), expected: guestList },
    {
      ...sub(draft, 'guests'),
      expected: (viewer) => {
        if (!maySee('draft', viewer)) return notFound;
        return isOrganizer(viewer) ? page([]) : refusal(403, 'guest_list_private');
      },
    },
    { ...sub(open, 'claims'), expected: forOrganizer('open', () => page([given])) },
    { ...sub(draft, 'claims'), expected: forOrganizer('draft', () => page([])) },
    { path: `/v1/items/${items.bread.id}/claims`, expected: forOrganizer('open', () => page([given])) },
    {
      path: `/v1/items/${items.secret.id}/claims`,
      missing: `/v1/items/${noId}.1/claims`,
      expected: (viewer) => {
        const expected = forOrganizer('draft', () => page([]))(viewer);
        return expected === notFound ? refusal(404, 'item_not_found') : expected;
      },
    },
  ];
}

function ownViews(world: World): View[] {
  const { people, events, items, claim, messages } = world;
  const own = (path: string, bodies: Partial<Record<Name, unknown>>, otherwise: unknown): View => ({
    path,
    expected: (viewer) => needsToken(viewer, () => ok(bodies[viewer as Name] ?? otherwise)),
  });
  const none = { data: [], nextCursor: null };
  const listOf = (...data: unknown[]) => ({ data, nextCursor: null });
  const of = (name: keyof World['events'], viewer: Name) => listed(world, name, viewer);
  const sentFields = (message: World['messages'][number] | undefined) =>
    message && {
      id: message.id,
      senderId: people[message.from].id,
      text: message.text,
      createdAt: message.createdAt,
    };
  const conversation = (other: Name, last: number, unreadCount: number) => ({
    user: brief(people[other]),
    lastMessage: sentFields(messages[last]),
    unreadCount,
  });
  const conversations = (...data: ReturnType<typeof conversation>[]) => ({
    ...listOf(...data),
    unreadConversations: data.filter(({ unreadCount }) => unreadCount > 0).length,
  });
  const whole = (i: number) => {
    const message = messages[i];
    return message && { ...sentFields(message), recipientId: people[message.to].id, eventId: null };
  };
  const both = listOf(whole(1), whole(0));
  const toStranger = listOf(whole(2));
  const { open } = events;
  const ownClaim = {
    id: claim.id,
    itemId: items.bread.id,
    userId: people.guest.id,
    ...pledge,
    createdAt: claim.createdAt,
    item: { title: items.bread.title, kind: 'bring', emoji: '🥘' },
    event: {
      id: open.id,
      title: open.title,
      startAt: open.startAt,
      endAt: open.endAt,
      allDay: false,
      timezone: 'Europe/Oslo',
      status: 'scheduled',
    },
  };
  const organized = (['open', 'unlisted', 'draft', 'cancelled'] as const).map((name) => of(name, 'olga'));
  const inFeed = (viewer: Name, type: string, because: Name) =>
    listOf({
      ...of('open', viewer),
      reasons: [{ type, user: brief(people[because]) }],
      reasonsCount: 1,
    });
  const session = {
    id: someText,
    isCurrent: true,
    userAgent: '',
    createdAt: someTime,
    refreshedAt: someTime,
    expiresAt: someTime,
  };
  return [
    own('/v1/auth/sessions', {}, { data: [session] }),
    own(
      '/v1/me/events?relation=organizing',
      {
        olga: listOf(...organized),
        blocked: listOf(of('blockedParty', 'blocked')),
        stranger: listOf(of('jam', 'stranger')),
      },
      none,
    ),
    own('/v1/me/events?relation=going', { guest: listOf(of('open', 'guest')) }, none),
    own('/v1/me/events?relation=interested', { stranger: listOf(of('open', 'stranger')) }, none),
    own('/v1/me/events?relation=saved', { guest: listOf(of('open', 'guest')) }, none),
    own('/v1/me/claims', { guest: listOf(ownClaim) }, none),
    own('/v1/me/blocks', { olga: listOf(found(people.blocked, 'olga', 'blocked')) }, none),
    own(
      '/v1/conversations',
      {
        olga: conversations(conversation('guest', 1, 1)),
        guest: conversations(conversation('olga', 1, 1)),
        hermit: conversations(conversation('stranger', 2, 0)),
        stranger: conversations(conversation('hermit', 2, 1)),
      },
      conversations(),
    ),
    own(`/v1/users/${people.olga.id}/messages`, { guest: both }, none),
    own(`/v1/users/${people.guest.id}/messages`, { olga: both }, none),
    own(`/v1/users/${people.stranger.id}/messages`, { hermit: toStranger }, none),
    own(`/v1/users/${people.hermit.id}/messages`, { stranger: toStranger }, none),
    own(
      '/v1/feed',
      {
        guest: inFeed('guest', 'organizing', 'olga'),
        olga: inFeed('olga', 'going', 'guest'),
        hermit: inFeed('hermit', 'going', 'guest'),
      },
      none,
    ),
    own('/v1/me/calendar', {}, { exists: false, createdAt: null }),
  ];
}

function adminViews({ people, events, report, added }: World): View[] {
  const forAdmin = (body: unknown) => (viewer: Viewer) =>
    needsToken(viewer, () => (viewer === 'admin' ? ok(body) : refusal(403, 'not_admin')));
  const involved = (person: Profile) => ({
    id: person.id,
    name: person.name,
    username: person.username,
    avatar: avatar(person),
    hasAccount: true,
    isSuspended: false,
  });
  const accounts = (Object.keys(people) as Name[]).toReversed().map((name) => ({
    ...involved(people[name]),
    suspension: null,
    phone: people[name].phone,
    email: null,
    role: name === 'admin' ? 'admin' : 'user',
    createdAt: people[name].createdAt,
  }));
  const guestAccount = {
    ...{ ...briefGuest(added), isSuspended: false, suspension: null, phone: null, email: null },
    ...{ role: 'user', createdAt: someTime },
  };
  const given = {
    id: report.id,
    subject: { type: 'event', id: events.open.id },
    reason: 'spam',
    text: 'Seen twice.',
    status: 'open',
    createdAt: report.createdAt,
    reporter: involved(people.stranger),
    about: involved(people.olga),
    message: null,
    note: '',
    resolvedAt: null,
  };
  const flags = ['bookings', 'claims', 'guestRsvp', 'messages', 'signUps', 'uploads'].map((name) => ({
    name,
    enabled: true,
    description: someText,
    changedAt: null,
  }));
  return [
    { path: '/v1/admin/users', expected: forAdmin({ data: [guestAccount, ...accounts], nextCursor: null }) },
    { path: '/v1/admin/reports', expected: forAdmin({ data: [given], nextCursor: null }) },
    { path: '/v1/admin/flags', expected: forAdmin({ data: flags }) },
  ];
}
