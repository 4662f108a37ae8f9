import type { BaseServices } from '../../http/services.ts';
import { createPeople, type People } from './people.ts';

export type UserServices = BaseServices & { people: People };

export const createUserServices = ({ db, changeLog, replicas, config }: BaseServices) => ({
  people: createPeople(db, { changeLog, replicas }, config.cacheBytes),
});
