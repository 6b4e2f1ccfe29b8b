import type { Rule } from '../../facts.ts';

export const azExecuteCommand: Rule = ({ estate, tenants }, add) => {
  for (const tenant of tenants) {
    const runsWindows = (device: number) =>
      /windows/i.test(String(estate.property(device, 'operatingsystem')));
    const devices = tenant.devices.filter(runsWindows);
    for (const holder of tenant.holders('intuneAdministrator'))
      for (const device of devices) add(holder, device);
  }
};
