import { expect, test } from 'vitest';
import type { Missing } from '../../wire.ts';
import { missingGroups } from './missing-kinds.ts';

const kind = (resource: string, reason: Missing['reason']): Missing => ({ resource, reason, text: '' });

test('kinds that are shown as they were last read are not called missing', () => {
  const denied = kind('events', 'denied');
  const stale = [kind('nodes', 'failed'), kind('pods', 'failed')];
  expect(missingGroups([])).toEqual([]);
  expect(missingGroups([denied, ...stale])).toEqual([
    { title: 'Not shown', kinds: [denied] },
    { title: 'Not up to date', kinds: stale },
  ]);
});
