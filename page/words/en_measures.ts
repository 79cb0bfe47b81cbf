/** The words for measurements. */

const percent = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

export const measures = {
  word: "Measures",
  show: "Measure",
  span: "The last ten minutes; 100 % is one processor.",
  notRunning: "It does not run, so there is nothing to measure.",
  none: "nothing yet",
  percent: (value: number) => `${percent.format(value)} %`,
  perSecond: (amount: string) => `${amount}/s`,
  of: (limit: string) => `of ${limit}`,
  chart: (title: string, last: string, most: string) => `${title}: ${last}, at most ${most}`,
  title: {
    cpu: "CPU",
    memory: "Memory",
    received: "Network, received",
    sent: "Network, sent",
    read: "Disk, read",
    written: "Disk, written",
  },
};
