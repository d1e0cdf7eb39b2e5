/**
 * Loads everything that is otherwise loaded lazily: loading a module takes real time, and a run in virtual
 * time does not wait for it. Imported after the globals are replaced. Clouds load their SDKs in the same way.
 */
import './virtual-globals.ts';
import '../../packages/chandler/src/api/kinds/index.ts';
import '@chandler/apiserver';
import '@chandler/apiserver/standins';
