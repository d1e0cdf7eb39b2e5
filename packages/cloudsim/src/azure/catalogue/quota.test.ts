import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anAzure, type TestAzure } from '../cluster/azure.fixture.ts';
import type { QuotaUse } from '../compute/services.ts';
import { AzureQuota, REGIONAL_CORES, SPOT_CORES } from './quota.ts';
import { AzureSizes } from './size-catalogue.ts';
import { stockOutFaults } from './stock-outs.ts';

const sizes = new AzureSizes();

function use(vmId: string, size: string, spot = false): QuotaUse {
  return { vmId, region: 'eastus', size: sizes.sizeOf(size, 'eastus')!, spot };
}

describe('quota of cores', () => {
  test('is used by VMs and released when they are deleted', () => {
    const quota = new AzureQuota(['standardDSv5Family'], { family: 10 });
    expect(quota.take(use('/vm/1', 'Standard_D8s_v5'))).toBeUndefined();
    expect(quota.used('eastus', 'STANDARDDSv5Family')).toBe(8);
    expect(quota.used('eastus', REGIONAL_CORES)).toBe(8);
    expect(quota.take(use('/VM/1', 'Standard_D8s_v5')), 'the same VM counts once').toBeUndefined();
    expect(quota.take(use('/vm/2', 'Standard_D4s_v5'))?.status).toBe(409);
    quota.release('/VM/1');
    expect(quota.take(use('/vm/2', 'Standard_D4s_v5'))).toBeUndefined();
    expect(quota.used('eastus', 'standardDSv5Family')).toBe(4);
  });

  test('is rejected with the text that callers match', () => {
    const quota = new AzureQuota([], { family: 10, regional: 20, spot: 3 });
    quota.take(use('/vm/1', 'Standard_D8s_v5'));
    expect(quota.take(use('/vm/2', 'Standard_D4s_v5'))?.error).toEqual({
      code: 'OperationNotAllowed',
      message: expect.stringMatching(
        /exceeding approved standardDSv5Family Cores quota\..*Location: eastus, Current Limit: 10, Current Usage: 8, Additional Required: 4, \(Minimum\) New Limit Required: 12/,
      ),
    });
    expect(quota.take(use('/vm/3', 'Standard_D4s_v5', true))?.error.message).toContain('LowPriorityCores');
    quota.take(use('/vm/4', 'Standard_E8s_v5'));
    expect(quota.take(use('/vm/5', 'Standard_F8s_v2'))?.error.message).toContain(
      'exceeding approved Total Regional Cores quota',
    );
  });

  test('of spot VMs is a pool of its own', () => {
    const quota = new AzureQuota([], { family: 2, regional: 2 });
    expect(quota.take(use('/vm/1', 'Standard_D8s_v5', true))).toBeUndefined();
    expect(quota.used('eastus', 'standardDSv5Family')).toBe(0);
    expect(quota.used('eastus', SPOT_CORES)).toBe(8);
  });

  test('can be set to zero', () => {
    const quota = new AzureQuota([]);
    quota.setLimit('eastus', 'standardDSv5Family', 0);
    expect(quota.take(use('/vm/1', 'Standard_D2s_v5'))?.error.message).toContain('Current Limit: 0');
    expect(quota.take({ ...use('/vm/2', 'Standard_D2s_v5'), region: 'westeurope' })).toBeUndefined();
  });
});

describe('the list of usages', () => {
  let simulation: TestAzure;

  beforeEach(async () => {
    simulation = await anAzure({ catalogue: { quota: { family: 100 } } });
  });

  afterEach(() => simulation.close());

  test('rejects unknown regions', async () => {
    const path = `${simulation.subscription}/providers/Microsoft.Compute/locations/nowhere/usages`;
    const answer = await simulation.call<{ error: { code: string } }>(`${path}?api-version=2025-04-01`);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'NoRegisteredProviderFound']);
  });
});

describe('stock-outs', () => {
  test('are faults of the compute provider', async () => {
    const simulation = await anAzure({
      catalogue: {
        stockOuts: [
          { size: 'Standard_D4s_v5', zone: '2' },
          { capacity: 'spot', because: 'not-sold' },
        ],
      },
    });
    expect(simulation.server.faults.list()).toMatchObject([
      { name: 'zonal-allocation', size: 'Standard_D4s_v5', zone: '2' },
      { name: 'sku-not-available', capacity: 'spot' },
    ]);
    await simulation.close();
  });

  test('of a whole region affect VMs with and without a zone', () => {
    expect(stockOutFaults({ size: 'Standard_D*' })).toEqual([
      { name: 'zonal-allocation', size: 'Standard_D*', zone: '1' },
      { name: 'zonal-allocation', size: 'Standard_D*', zone: '2' },
      { name: 'zonal-allocation', size: 'Standard_D*', zone: '3' },
      { name: 'allocation', size: 'Standard_D*', zone: '0' },
    ]);
    expect(stockOutFaults({ zone: '1', because: 'overconstrained' })).toEqual([
      { name: 'overconstrained-zonal', zone: '1' },
    ]);
  });
});
