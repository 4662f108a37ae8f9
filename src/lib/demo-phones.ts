/** The demo accounts to sign in with. The start screen, the front page and the command `demo` list them. */
export const demoPhones = [
  { who: 'admin', phone: '+12025550100' },
  { who: 'organizer', phone: '+12025550101' },
  { who: 'guest', phone: '+12025550102' },
];
