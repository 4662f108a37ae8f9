/** What visitors have claimed is in question when they no longer say that they are going. */
import { type Client, getEvent, listItems } from '@potluck/client';
import { type Status, stepsBack } from '#lib/event/guests/answer.ts';

/** The ids of the items that the visitor has claimed. */
export async function listClaimed(client: Client, id: string): Promise<string[]> {
  const { data } = await listItems({ client, path: { id } });
  return data.data.filter(({ myClaim }) => myClaim).map((item) => item.id);
}

/** Whether the visitor is to be asked, before an answer is given, what happens to their claims. */
export async function asksAboutClaims(client: Client, id: string, status: Status): Promise<boolean> {
  if (status === 'going' || (await listClaimed(client, id)).length === 0) return false;
  return stepsBack((await getEvent({ client, path: { id } })).data, status);
}
