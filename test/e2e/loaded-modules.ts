/**
 * What production code loads when it first needs it, loaded at once: reading modules takes real time, and a run in virtual
 * time would not wait for it.
 */
import '@azure/arm-authorization';
import '@azure/arm-compute';
import '@azure/arm-containerservice';
import '@azure/arm-keyvault';
import '@azure/arm-network';
import '@azure/arm-resourcegraph';
import '@azure/core-rest-pipeline';
import '@azure/identity';
import '@azure/keyvault-keys';
import '../../packages/chandler/src/api/kinds/index.ts';
import '@chandler/cloudsim/azure';
import '@chandler/apiserver/standins';
