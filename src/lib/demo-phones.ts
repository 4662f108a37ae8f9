/** The demo accounts to sign in with. The start screen, the front page and the command `demo` list them. */
export const demoPhones = [
  { who: 'admin', phone: '+12025550100' },
  { who: 'organizer', phone: '+12025550101' },
  { who: 'guest', phone: '+12025550102' },
];

/** The numbers of all people of the demo, which are reserved for fiction: no message reaches anyone. */
export const demoNumbers = Array.from(
  { length: 16 },
  (_, i) => `+1202555${String(100 + i).padStart(4, '0')}`,
);
