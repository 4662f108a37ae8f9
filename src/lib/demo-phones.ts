/** The accounts of the demo that people sign in with; named by the first screen and the front page. */
export const demoPhones = [
  { who: 'admin', phone: '+12025550100' },
  { who: 'organizer', phone: '+12025550101' },
  { who: 'guest', phone: '+12025550102' },
];
