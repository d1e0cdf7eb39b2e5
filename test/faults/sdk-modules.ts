/**
 * Loads everything that is otherwise loaded lazily: loading a module takes real time, and a run in virtual
 * time does not wait for it. Imported after the globals are replaced.
 */
import './virtual-globals.ts';
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
import '@chandler/apiserver';
import '@chandler/apiserver/standins';
