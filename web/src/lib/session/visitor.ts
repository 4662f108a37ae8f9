import type { Me } from '@potluck/client';

/** The person who is signed in, as pages show them. */
export type Visitor = Pick<Me, 'id' | 'name' | 'username' | 'avatar' | 'role'>;
