import { type Static, Type } from 'typebox';
import { named } from '../../http/schemas.ts';

const id = { examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0aa'] };

export const UploadParams = Type.Object({ id: Type.String({ description: "The upload's id.", ...id }) });

export const Upload = named(
  'Upload',
  Type.Object({
    id: Type.String(id),
    url: Type.String({
      description: 'Usable as a cover of an event, as the image of an item, and as the avatar of its owner.',
      examples: ['https://events.example.org/v1/uploads/0197a2f4-6c1e-7a34-9a51-2f0c8a6de0aa.webp'],
    }),
    width: Type.Integer({ description: 'Width of the stored image, in pixels.', examples: [2048] }),
    height: Type.Integer({ description: 'Height of the stored image, in pixels.', examples: [1365] }),
    bytes: Type.Integer({ description: 'Size of the stored image.', examples: [284_113] }),
  }),
);
export type Upload = Static<typeof Upload>;
