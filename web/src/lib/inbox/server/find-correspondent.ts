import { type Client, getUser, isProblem, listConversations } from '@potluck/client';
import { load as read } from '#lib/server/problems.ts';

export type Correspondent = {
  id: string;
  name: string | null;
  username: string | null;
  avatar: string | null;
  bio: string;
  isBlocked: boolean;
};

/** A person to write to. The name of a private profile is known from an earlier conversation alone. */
export async function findCorrespondent(api: Client, id: string): Promise<Correspondent> {
  try {
    const { data } = await getUser({ client: api, path: { id } });
    const { name, username, avatar, bio, isBlocked } = data;
    return { id: data.id, name, username, avatar, bio, isBlocked };
  } catch (error) {
    if (!isProblem(error, 'profile_private')) return read<never>(Promise.reject(error));
    const { data } = await read(listConversations({ client: api, query: { limit: 50 } }));
    const user = data.find((conversation) => conversation.user.id === id)?.user;
    const { name = null, username = null, avatar = null } = user ?? {};
    return { id, name, username, avatar, bio: '', isBlocked: false };
  }
}
