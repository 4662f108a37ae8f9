/** Guests without an account, in tests. */
import { type Api, expectStatus } from './setup.ts';

type Contact = { email?: string; phone?: string };
type Answer = Contact & {
  name: string;
  status: 'going' | 'interested';
  extraGuests?: number;
  claims?: { itemId: string; quantity: number; note?: string }[];
};
/** The response to an answer. */
export type GuestSession = {
  guestToken: string;
  expiresAt: string;
  user: { id: string; name: string; avatar: string };
  rsvpCount: number;
  claims: { itemId: string }[];
};

const contactOf = ({ email, phone }: Contact): Contact =>
  email === undefined ? { phone: phone ?? '' } : { email };

/** Requests a code for a guest, and returns it. */
export async function requestGuestCode(api: Api, eventId: string, contact: Contact): Promise<string> {
  const path = `/v1/events/${eventId}/guest-code`;
  return expectStatus(await api.post(path, undefined, contactOf(contact)), 202).body.devCode;
}

/** Answers with a new code. */
export async function answerAsGuest(api: Api, eventId: string, answer: Answer): Promise<GuestSession> {
  const code = await requestGuestCode(api, eventId, answer);
  return expectStatus(await api.post(`/v1/events/${eventId}/guest-rsvp`, undefined, { ...answer, code }), 200)
    .body;
}

/** Another code of six digits. */
export const wrongCodeFor = (code: string): string => (code === '000000' ? '000001' : '000000');
