/** The schemas of categories and templates. */
import { Type } from 'typebox';
import { named } from '../../http/schemas.ts';

export const Category = named(
  'Category',
  Type.Object({
    slug: Type.String({ examples: ['food'] }),
    name: Type.String({ examples: ['Food & drink'] }),
    emoji: Type.String({ examples: ['🍲'] }),
  }),
);
export const Template = named(
  'Template',
  Type.Object({
    slug: Type.String({ examples: ['potluck'] }),
    name: Type.String({ examples: ['Potluck dinner'] }),
  }),
);
