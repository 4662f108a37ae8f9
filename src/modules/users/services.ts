import type { BaseServices } from '../../http/services.ts';
import { createPeople, type People } from './people.ts';

export type UserServices = BaseServices & { people: People };

export const createUserServices = ({ db, changeLog, config }: BaseServices) => ({
  people: createPeople(db, changeLog, config.cacheBytes),
});
