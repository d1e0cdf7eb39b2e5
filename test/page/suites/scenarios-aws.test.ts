/** Every scenario of AWS that the page offers, in one playground. */
import { commonPlays } from '../plays.table.ts';
import { type Play, playScenarios } from '../scenario-page.ts';

/** Instances run and never register. */
const NEVER_REGISTERED: Play = {
  faster: { fromStep: 3, speed: 100 },
  async during(page) {
    await page.untilStep(2);
    await page.open('Pending');
    await page.untilText('Deployment/api');
  },
  async after(page) {
    await page.open('Claims');
    await page.page.getByLabel('Outcome').selectOption('failed');
    await page.untilText(/regist/i);
    await page.untilNodes(1);
    await page.object('NodePool/default');
    await page.untilText('NodeRegistrationHealthy');
  },
};

playScenarios(
  'aws',
  {
    ...commonPlays({ zone: 'us-west-2b', slowNodes: 4 }),
    'spot-interruption': {
      speed: 5,
      async after(page) {
        await page.untilHappened('SpotInterrupted', 'interruption');
        await (await page.nodes('spot')).filter({ hasText: 'Ready' }).first().waitFor();
      },
    },
    'ice-storm': {
      speed: 10,
      async after(page) {
        await page.untilHappened('InsufficientCapacityError', /InsufficientInstanceCapacity/);
        await (await page.nodes('Ready')).first().waitFor();
      },
    },
    'ami-rollout': {
      async after(page) {
        await page.untilNodes(4);
        await page.untilHappened('Drifted', 'disruption');
      },
    },
    'bad-user-data': NEVER_REGISTERED,
    'missing-access-entry': NEVER_REGISTERED,
  },
  ['spot-interruption', 'missing-access-entry'],
);
