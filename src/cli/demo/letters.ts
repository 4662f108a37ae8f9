/** What the people of the demo wrote to each other. */
import type { PersonKey } from './types.ts';

/** Two people, and their messages in order: how many hours ago, who wrote, and what. Whoever answers has read. */
type Letters = { between: [PersonKey, PersonKey]; lines: [hoursAgo: number, who: PersonKey, text: string][] };

export const letters: Letters[] = [
  {
    between: ['jonas', 'mara'],
    lines: [
      [51, 'jonas', 'Hi Mara! Is there room for one more at the long table? I could bring a pot of jollof.'],
      [50, 'mara', 'Always. We were thirty last time, so make it a large pot.'],
      [49.5, 'jonas', 'Then I will borrow my aunt’s.'],
      [3, 'mara', 'Could you come half an hour early and help with the benches?\nCoffee is on me.'],
    ],
  },
  {
    between: ['leila', 'jonas'],
    lines: [
      [28, 'leila', 'You asked for the spice mix: two parts coriander, one cumin, half a part allspice.'],
      [27, 'jonas', 'Thank you! How long does it keep?'],
      [26.5, 'leila', 'Three months in a jar. It has never lasted that long here.'],
      [26, 'leila', 'Bring the jar next time, I fill it up.'],
    ],
  },
  {
    between: ['oskar', 'jonas'],
    lines: [[200, 'oskar', 'Party at mine on Friday, bring everybody you know. And their speakers.']],
  },
  {
    between: ['tomek', 'mara'],
    lines: [
      [
        75,
        'tomek',
        'Can I borrow your long table for the tournament? Mine seats eight, and twenty are coming.',
      ],
      [74, 'mara', 'If you can carry it down three floors, it is yours for the weekend.'],
      [73, 'tomek', 'I will bring the strategists. They have to be good for something.'],
    ],
  },
  {
    between: ['mara', 'alva'],
    lines: [
      [30, 'mara', 'Somebody asks whether an event can be moved without asking all guests anew. Can it?'],
      [29, 'alva', 'Yes, change the time and everybody keeps their answer. Write it on top, though.'],
      [5, 'mara', 'Did that, nobody is lost. Thank you!'],
    ],
  },
  {
    between: ['amina', 'alva'],
    lines: [[8, 'amina', 'Could you have a look at my cover picture? It is sideways on my phone. 🙃']],
  },
];
