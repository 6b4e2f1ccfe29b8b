/** Why a document can't be read, in words fit for the person who sent it. */
export class XmlProblem extends Error {
  constructor(message: string, where = '') {
    super(where === '' ? message : `${message} (${where})`);
    this.name = 'XmlProblem';
  }
}
