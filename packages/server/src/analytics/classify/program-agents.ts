// Programs that send a browser's user agent with their own name, and that isbot does not know: command
// lines, converters, test services, mail scanners, editors, and assistants that read pages for people.
const programs =
  /powershell\/|wkhtmlto(?:pdf|image)|\bjsdom\/|gtmetrix|barracuda sentinel|catchpoint|tsm-turingos|amazonbuyforme|novaact|agentcore|\b(?:amzn|chatgpt|claude|perplexity|mistralai|manus)-user\b|google-?agent|notebooklm|gemini-deep-research|kagi-fetcher|cohere-ai|duckassist|meta-external|meta-webindexer|\b(?:devin|grok)[/-]|\b(?:code|cursor|trae|windsurf|kiro|antigravity)\/[\d.]+ chrome\/[\d.]+ electron\//i;

// Scanners of cookies and of weaknesses, and monitors.
const scanners =
  /\b(?:onetrust|cookie(?:yes|hub|pro|first|information|reports|-?script)|termly|iubenda|osano|usercentrics|trustarc|truste|didomi|axeptio|sourcepoint|evidon|consentmanager|complianz|observepoint|datagrail|secureprivacy|checkly|freshping|nodeping|monitis|uptrends|thousandeyes|debugbear|alertsite|alertra|hyperping|oh ?dear|cronitor|supermonitoring|internetvista|rapidspike|testomato|qualys|nessus|acunetix|netsparker|invicti|probely|rapid7|nuclei|whatweb|w3af|arachni|owasp zap|stackhawk|immuniweb|veracode|tenable|trustwave|sucuri|sitelock|virustotal|builtwith|siteimprove|monsido|sitebulb|screaming frog|contentking)/i;

export function isKnownProgram(agent: string): boolean {
  return programs.test(agent) || scanners.test(agent);
}
