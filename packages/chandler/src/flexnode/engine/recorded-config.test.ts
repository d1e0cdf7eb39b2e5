import { expect, test } from 'vitest';
import { sampleConfig } from '../config/config.fixture.ts';
import type { FlexConfig } from '../config/config.ts';
import { configOfRecord } from './identity.ts';
import { configRecord, recordedConfig } from './recorded-config.ts';
import { applyRecord, emptyState, type JournalRecord, type JournalState } from './records.ts';

const PROXY = { http: 'http://proxy.example:3128', noProxy: ['10.0.0.0/8'] };

function journalOf(records: readonly JournalRecord[]): JournalState {
  const state = emptyState();
  for (const record of records) applyRecord(state, record);
  return state;
}

const journalWith = (config: FlexConfig) => journalOf(configRecord(config, emptyState()));

test('unbootstrap without the config file uses the proxy of bootstrap', () => {
  expect(recordedConfig(journalWith(sampleConfig({ proxy: PROXY })))?.proxy).toEqual(PROXY);
  expect(recordedConfig(journalWith(sampleConfig()))?.proxy).toEqual({ noProxy: [] });
});

test('the proxy of the config file replaces the recorded one', () => {
  const journal = journalWith(sampleConfig({ proxy: PROXY }));
  expect(configOfRecord(journal, sampleConfig()).proxy).toEqual({ noProxy: [] });
});

test('a journal of an earlier version has no proxy', () => {
  const { proxy: _proxy, ...config } = sampleConfig({ proxy: PROXY });
  const journal = journalOf([{ kind: 'config', config }]);
  expect(recordedConfig(journal)?.proxy).toEqual({ noProxy: [] });
});
