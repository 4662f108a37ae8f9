import type { Me } from '@potluck/client';

/** The person who is signed in, as pages show them. */
export type Visitor = Pick<Me, 'id' | 'name' | 'username' | 'avatar' | 'role'>;

/** Whether the person has not said yet what they are called: a new account has its generated username as its name. */
export const hasGeneratedName = ({ name, username }: Pick<Visitor, 'name' | 'username'>): boolean =>
  name === username;
