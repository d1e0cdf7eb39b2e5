import { expect, test } from 'vitest';
import { CloudError } from '../../index.ts';
import { chooseTypes, fleetRequest } from '../launch/index.ts';
import { aType, capacityTypes, oneOf } from '../launch/launch.fixture.ts';
import { fitsText, LAUNCH_ROWS } from './launch-failures.ts';

const TYPES = [aType('m5.large')];

const choose = (...requirements: Parameters<typeof chooseTypes>[0]['requirements']) =>
  chooseTypes({ types: TYPES, requirements, minValuesPolicy: 'Strict' });

/** Launches that fail before EC2 is asked. */
const REFUSALS = [
  ['nothing that the claim allows can be launched', () => choose(capacityTypes('spot')), 'nothing-left'],
  [
    'no offering is in a zone of the subnets',
    () =>
      fleetRequest({
        capacityType: 'on-demand',
        templates: [{ name: 'lt', group: { imageId: 'ami-1', types: TYPES } }],
        subnets: new Map([['us-west-2z', { id: 'subnet-1', zone: 'us-west-2z' }]]),
        tags: {},
        minValuesRelaxed: false,
        priceOverlay: false,
      }),
    'nothing-left',
  ],
  [
    'too few types for minValues',
    () => choose({ ...oneOf('karpenter.k8s.aws/instance-family', 'm5', 'c5'), minValues: 2 }),
    'min-values',
  ],
] as const;

test.each(REFUSALS)('%s: the message of the launch leads to its cause', (_, launch, name) => {
  let error: unknown;
  try {
    launch();
  } catch (thrown) {
    error = thrown;
  }
  if (!(error instanceof CloudError)) throw new Error('the launch was not refused');
  const { reason, message } = error;
  const fitting = LAUNCH_ROWS.filter((row) => fitsText(row, reason, message)).map((row) => row.name);
  expect(fitting).toEqual([name]);
});
