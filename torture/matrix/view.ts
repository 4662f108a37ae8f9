/** What a view is, and what all views are made of. */
import { type Name, type Profile, publicUrl, type Viewer, type World } from './world.ts';

/** Matches any timestamp. */
export const someTime = '<time>';
/** Matches any non-empty text: ids that only this response contains. */
export const someText = '<text>';

export type Body = { status: 200; body: unknown };
export type Refusal = { status: number; code: string };
export type View = {
  path: string;
  /** The same request for something that does not exist: a 404 must be the same, byte by byte. */
  missing?: string;
  expected: (viewer: Viewer) => Body | Refusal;
};

export const ok = (body: unknown): Body => ({ status: 200, body });
export const refusal = (status: number, code: string): Refusal => ({ status, code });
export const page = (data: unknown[]): Body => ok({ data, nextCursor: null });
export const noId = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';
export const needsToken = (viewer: Viewer, view: () => Body | Refusal): Body | Refusal =>
  viewer === 'anonymous' ? refusal(401, 'token_missing') : view();

export const avatar = ({ id }: Pick<Profile, 'id'>): string => `${publicUrl}/v1/users/${id}/avatar.svg`;
export const brief = (person: Pick<Profile, 'id' | 'name' | 'username'>) => ({
  id: person.id,
  name: person.name,
  username: person.username,
  avatar: avatar(person),
  hasAccount: true,
});
/** A guest without an account. */
export const briefGuest = ({ id, name }: { id: string; name: string }) => ({
  ...brief({ id, name, username: '' }),
  hasAccount: false,
});

/** Who organizes the events of `olga`. */
export const isOrganizer = (viewer: Viewer): boolean => viewer === 'olga' || viewer === 'admin';
/** `hermit` is invited to the private event. */
export const maySee = (name: keyof World['events'], viewer: Viewer): boolean =>
  name !== 'draft' || isOrganizer(viewer) || viewer === 'hermit';
export const notFound = refusal(404, 'event_not_found');
export const forOrganizer =
  (name: 'open' | 'draft', view: (viewer: Name) => Body) =>
  (viewer: Viewer): Body | Refusal =>
    needsToken(viewer, () => {
      if (isOrganizer(viewer)) return view(viewer as Name);
      return maySee(name, viewer) ? refusal(403, 'not_organizer') : notFound;
    });
export const sub = ({ id }: { id: string }, tail: string) => ({
  path: `/v1/events/${id}/${tail}`,
  missing: `/v1/events/${noId}/${tail}`,
});
