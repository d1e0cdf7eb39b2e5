/**
 * What production code loads when it first needs it, loaded at once: reading modules takes real time, and a run in virtual
 * time would not wait for it.
 */
import '../../packages/chandler/src/arm/testing.ts';
import '../../packages/chandler/src/api/kinds/index.ts';
import '@chandler/cloudsim/azure';
import '@chandler/apiserver/standins';
