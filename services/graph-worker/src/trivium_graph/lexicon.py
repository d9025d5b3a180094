"""Word lists for typing names: closed classes of English and of geography, no entity of any corpus."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(word.replace("_", " ") for word in text.split())


# Before a name, never part of it: dropped from the key.
COURTESY_TITLES = _words("dr mr mrs ms miss prof messrs mme mlle herr frau señor")
# Offices and ranks: "President Kamara" is a person; with two more words the office is dropped too.
OFFICE_TITLES = _words(
    """president vice_president prime_minister premier chancellor senator sen rep congressman
    congresswoman representative governor gov mayor minister secretary foreign_minister
    defense_minister finance_minister ambassador chairman chairwoman chairperson judge justice
    chief_justice attorney_general general gen lieutenant lt colonel col major maj captain capt sergeant
    sgt corporal admiral adm commander cmdr marshal private officer inspector detective sheriff deputy
    professor doctor reverend rev father rabbi imam bishop archbishop cardinal director coach astronaut
    cosmonaut comrade secretary_general first_lady chief spokesman spokeswoman actor actress attorney city_attorney
    district_attorney commissioner councilman councilwoman assemblyman superintendent treasurer lieutenant_governor
    lawmaker"""
)
# Ranks of birth and faith: part of the name as people know it ("Queen Victoria").
ROYAL_TITLES = _words(
    """king queen prince princess emperor empress duke duchess earl count countess baron baroness lord
    lady sir dame saint pope sultan tsar czar shah sheikh ayatollah archduke crown_prince"""
)
PERSON_SUFFIXES = _words("jr sr jr. sr. esq phd md ph.d. m.d.")

ORGANIZATION_ENDINGS = _words(
    """inc corp corporation co company companies ltd limited llc llp plc gmbh ag sa nv bv oy ab spa kg
    university college institute academy school polytechnic laboratory laboratories lab labs hospital clinic
    committee council commission agency department ministry bureau administration authority office board
    court parliament congress senate assembly government cabinet police army navy force forces corps
    guard fund bank exchange trust association society federation foundation union league alliance
    organization organisation party front movement coalition group holdings industries enterprises
    partners associates systems technologies motors airlines airways air railways railroad pictures
    studios records entertainment press publishing publishers books times post journal tribune herald
    gazette news network broadcasting television radio orchestra symphony philharmonic choir ballet
    theatre museum observatory gallery library church diocese club fc united team brotherhood guild cooperative
    consortium center centre service services service station brothers sons stores motor steel
    telecom communications insurance properties securities airlines pharmaceuticals
    programme program initiative charity taskforce secretariat directorate directors trustees magazine review daily
    weekly chamber tribunal brigade fleet regiment battalion division squadron militia consulate embassy
    chronicle globe"""
)
ORGANIZATION_OPENINGS = _words(
    """university college institute ministry department bank bureau academy association federation
    society office council court church national federal royal general international united_nations"""
)
# Bodies that need no other word to be one, where they are capitalised.
INSTITUTIONS = _words(
    """congress senate parliament navy army pentagon kremlin treasury interpol unesco unicef nato nasa un eu oecd opec
    imf iaea wto asean fbi cia kgb nsa irs fda faa epa fcc sec fema cdc nih darpa fifa uefa ioc nfl nba nhl ncaa
    mit ucla ap upi afp reuters tass itar-tass itar_tass xinhua interfax kyodo bbc cnn nbc cbs npr ibm at&t"""
)
# Peoples, languages and what belongs to them: no person, no place ("Spanish Basque", "Chinese").
DEMONYMS = _words(
    """afghan african albanian algerian american angolan arab arabic argentine armenian asian australian austrian
    azerbaijani bangladeshi basque bavarian belarusian belgian bolivian bosnian brazilian briton british bulgarian
    burmese californian cambodian canadian catalan chechen chilean chinese christian colombian croat croatian cuban
    cypriot czech danish dutch ecuadoran ecuadorian egyptian english estonian ethiopian european filipino finnish
    flemish french gaelic georgian german ghanaian greek guatemalan haitian hebrew hindi hindu honduran hungarian
    icelandic incan indian indonesian iranian iraqi irish islamic israeli italian jamaican japanese jewish jordanian
    kenyan korean kurdish kuwaiti latin latvian lebanese libyan lithuanian macedonian malay malaysian mexican moldovan
    mongolian moroccan muslim nepalese nicaraguan nigerian norwegian ottoman pakistani palestinian panamanian
    paraguayan persian peruvian polish portuguese prussian punjabi roman romanian russian rwandan salvadoran saudi
    scandinavian scottish serb serbian slavic slovak slovenian somali spanish sudanese swedish swiss syrian taiwanese
    tamil tatar texan thai tibetan tunisian turkish ukrainian uruguayan venezuelan vietnamese welsh yemeni yiddish
    yugoslav zairian zambian zimbabwean"""
)
LOCATION_ENDINGS = _words(
    """river lake mountain mountains mount hill hills valley island islands isle peninsula bay gulf sea
    ocean strait channel canal creek falls desert forest woods plain plains plateau canyon cape coast
    beach harbor harbour port county city town township village borough parish district province state
    region territory prefecture republic kingdom empire islands street st avenue ave road boulevard
    square lane park garden gardens airport bridge tunnel tower castle palace cathedral cemetery dam
    reservoir glacier volcano reef springs heights pass square plaza stadium arena building hotel zone
    strip basin delta border plant range base reservation monument memorial mall ranch refinery courthouse prison jail
    penitentiary camp outpost theater desert plateau foothills wall speedway campus"""
)
# Surnames too ("Henry Ford"): they tell a place only where no given name stands before them.
PLACES_OR_SURNAMES = _words(
    """gorge weir mill meadow meadows ford ridge cliff cliffs cave caves pond lagoon inlet cove moor heath marsh fen
    swamp quarry mine farm ranch estate lighthouse pier dock docks quay wharf trail crossing waterfall rapids dunes
    peak pasture orchard vineyard embankment lock"""
)
LOCATION_OPENINGS = _words(
    "mount lake cape fort port isle gulf bay strait sea river mt ft san santa são new rio los las el north "
    "south east west northern southern eastern western central upper lower greater sierra rancho puerto porto ciudad "
    "villa monte costa isla cerro playa"
)
# What a name is, said by the plain noun behind it ("Anzio beachhead", "NHK network").
LOCATION_NOUNS = _words(
    """river lake city town village island islands desert plateau mountains valley beach beachhead harbor province
    county district suburb airport border peninsula coast foothills region area canyon forest neighborhood basin"""
)
ORGANIZATION_NOUNS = _words(
    """company firm newspaper magazine network airline airlines agency bank agents astronauts lawmakers subsidiary
    spokesman spokeswoman headquarters executives organization"""
)
# What a name is, where a sentence says so ("Ashen Tide is a 1968 film"), beside the nouns above.
WORK_NOUNS = _words(
    """film films movie novel novella book album song single play opera musical series sitcom documentary poem painting
    symphony soundtrack anthology comic game episode story stories comedy drama thriller western serial ballad hymn"""
)
BODY_NOUNS = _words(
    """band orchestra team club university college school institute museum hospital charity party union league society
    association federation corporation manufacturer retailer publisher broadcaster nonprofit startup church ministry"""
)
EVENT_WORDS = _words(
    """war battle siege revolution uprising rebellion revolt olympics olympiad championship championships
    cup tournament grand_prix festival conference summit symposium workshop election elections
    referendum massacre earthquake hurricane typhoon tsunami flood famine pandemic epidemic crisis
    treaty armistice expedition marathon parade ceremony awards exhibition expo coup crusade holocaust
    games derby accord disaster"""
)
TECHNOLOGY_WORDS = _words(
    """algorithm protocol language framework engine compiler database api sdk runtime kernel processor
    chip computer software hardware browser server router sensor robot satellite telescope rocket
    spacecraft aircraft missile submarine reactor turbine laser radar network networks transformer model
    models systems classifier encoder decoder embedding embeddings regression machine machines system
    scheduler toolkit library platform operating_system filesystem codec format cipher blockchain
    architecture standard"""
)
TECHNOLOGY_NAMES = _words(
    """http https tcp udp ip dns tls ssl ssh ftp smtp html css xml json yaml csv pdf sql nosql cpu gpu tpu ram
    rom ssd usb lan wan vpn api rest grpc linux unix windows macos android ios python java javascript
    typescript rust kotlin c++ c# fortran cobol lisp haskell docker kubernetes git oauth jwt ocr llm rag cnn rnn
    lstm gan bert gpt svm knn pca nlp asr tts iot gps rfid lidar radar internet bluetooth wifi wi-fi ethernet
    mri pcr crispr"""
)
METRIC_NAMES = _words(
    """accuracy precision recall f1 f1-score f-score bleu rouge rouge-l rouge-1 rouge-2 meteor mrr map ndcg
    perplexity auc roc-auc rmse mae mse latency throughput wer cer iou gdp roi ebitda kpi qps psnr ssim
    inflation_rate unemployment_rate error_rate market_share"""
)

GIVEN_NAMES = _words(
    """aaron abdul abdullah abraham adam adrian ahmed aisha akira alan albert alberto alejandro aleksandr alex
    alexander alexandra alexei alfred ali alice alicia alison allan allen amanda amelia amir amy ana andré andrea
    andreas andrei andrew andy angela anita ann anna anne annie anthony anton antonio arnold arthur ashley
    astrid audrey barbara barry beatrice ben benjamin bernard betty bill billy bob bobby boris brad brandon
    brenda brian bruce bryan carl carla carlo carlos carmen carol caroline carolyn catherine cecilia charles charlie
    charlotte cheryl chiara chris christian christina christine christopher claire clara claude colin connie
    craig cristina curtis cynthia daniel daniela danny dave david dean deborah denis dennis derek diana diane diego
    dimitri dmitri dolores don donald donna doris dorothy douglas duncan dwight earl eddie edgar edith edmund
    eduardo edward edwin eileen elaine eleanor elena eli elisabeth elizabeth ella ellen elsa emil emily emma
    enrique eric erik ernest esther ethan eugene eva evan evelyn fatima felix fernando fiona florence
    frances francesca francesco francis francisco frank franklin franz fred frederick friedrich gabriel gabriela
    gary gene geoffrey george georges gerald gerard gilbert gina giovanni giuseppe gloria gordon grace graham greg
    gregory guillermo gustav guy hannah hans harold harriet harry harvey hassan heather hector heinrich helen
    helena henri henry herbert herman hiroshi howard hugh hugo ian ibrahim igor ingrid irene isaac isabel isabella
    ivan jack jacob jacques james jan jane janet janice jason javier jean jeff jeffrey jennifer jeremy jerome
    jerry jesse jessica jesus jill jim jimmy joan joanna joe joel johan johann johannes john johnny jon jonathan
    jorge josé jose josef joseph josephine joshua joyce juan juana judith judy julia julian julie jürgen justin
    karen karin karl katherine kathleen kathy keiko keith kelly ken kenneth kenji kevin khalid kim kurt kyle lars
    laura lauren laurence lawrence lee leo leon leonard leonardo leslie lewis li liam lillian linda lisa liu lloyd
    lois lorenzo louis louise lucas lucia lucy luigi luis luke lynn maggie malcolm manuel marc marcel marcia marco
    marcus margaret maria mariam marie marilyn mario marion mark marta martha martin martina marvin mary masako
    mathias matthew maurice max maxwell megan mehmet melissa michael michel michelle miguel mikhail mildred milton
    ming miriam mohamed mohammad mohammed monica morris mustafa nancy naomi natalia natalie nathan nathaniel neil
    nelson nicholas nicolas nicole nigel nikolai nina noah noel nora norma norman olga oliver olivia omar oscar otto
    pablo pamela patricia patrick paul paula pauline pedro peggy penelope per peter philip phillip phyllis pierre
    rachel rafael ralph ramón randy raúl ray raymond rebecca reginald renata rené ricardo richard rick rita rob
    robert roberta roberto robin rodney roger roland ron ronald rosa rosemary ross roy ruben rudolf rupert russell
    ruth ryan salman sally sam samantha samir samuel sandra sara sarah scott sean sebastian sergei sergio sharon
    sheila shirley sidney silvia simon simone sofia sonia sophia sophie stanley stefan stella stephanie stephen
    steve steven stuart susan suzanne svetlana sven sylvia takashi tamara tatiana ted teresa terry theodor theodore
    theresa thomas tim timothy tina todd tom tommy tony tracy ulrich ursula valerie vanessa vera veronica victor
    victoria vincent viola virginia vladimir wallace walter wang warren wayne wei wendy wilhelm will william
    willie winston wolfgang xavier yasmin yoko yuri yusuf yves yvonne zachary zhang zoe
    abel abigail ada adele adolf agatha agnes aldo alec alfonso alvin ambrose amelie amos anatoly angelo angus
    antoine archibald ariel armando arturo augustus avery axel aziz bart bartholomew basil beatriz belinda bernardo
    bernice bert bertha beth bettina beverly bjorn blanca boyd bradley brett bridget brigham bruno buddy burt byron
    calvin camille candace carlton casey cecil celia cesar charlene chester chloe chuck cindy clarence clark claudia
    clifford clifton clint clyde cody conrad corey cornelius courtney curt cyril damian darren darryl debbie debra
    deirdre delia derrick desmond dieter dirk dominic dominique dorothea doug dustin dwayne dylan earnest ebenezer
    eddy edmond efrain elias elijah eliot elliot elliott elmer elvis emilio emmanuel emmett enzo erin ernesto erwin
    esteban etta eugenia eugenio everett ezra fabio fausto federico felicia fidel flora floyd fritz gail galina
    garth gaston gavin genevieve gennady gerardo gerhard gertrude gino glenn goran gregor greta guido gunter gus
    gwen gwendolyn hakim hank harlan harrison heidi helmut henrietta henrik herb hilda hillary hiram horace horst
    hortense hubert humphrey ida ignacio ilse imelda imre ingmar ira irina irving irwin isaiah isidore ismail jaime
    jake jamal jared jarvis jasper jay jeanette jeanne jeb jed jeffery jens jerald jeremiah jesús joachim joao
    joaquin jody joey jonas joni jules julio kai kamal kareem karim kasper kate katharine katie katrina kazuo kelvin
    kerry kirk klaus konrad kristen kristin kwame larry leah leila lena leopold leroy lester lila lily lionel logan
    lola lorraine lothar lottie lou lowell lucille ludwig lupe luther lydia lyle lyndon mabel mack mae magnus
    mahmoud malik mandy manfred manuela marcello marcos margot marianne marina marjorie marlon marsha marshall marty
    matilda matt matthias maureen mauricio mavis maxine melanie melinda melvin meredith merle mickey mike miles
    millard millicent mimi minnie mitch mitchell moe mohamad moises molly mordecai morton moses muammar muriel myra
    myron nadia nadine nate ned nell nellie newt nick nicola noam nolan norbert noreen norris octavio odette ola ole
    oleg ollie oprah orson orville oswald otis pascal patsy patti percy perry pete phil philippe phineas pietro
    piotr preston prudence quentin quincy raj rajiv ramona ramsay randall randolph raquel raul regina reinhard
    reinhold renee reza rhoda rhonda ricky roald robbie robyn rocco rodrigo rolf romeo ronnie roosevelt rory
    rosalind rosie roxanne rudolph rudy rufus russ rusty sabina saddam sadie salvatore sanjay saul serge sergey seth
    seymour shane sharif shawn shelby sherman sherry sid siegfried sigmund silas silvio simeon sirhan slobodan sol
    solomon sonya stacy stan stefano stephan susana sybil sylvester tara tariq tatyana terence terrence thaddeus
    thea thelma thor thurgood tiffany tobias tomas tomás toni tracey travis trent trevor trudy truman tyler tyrone
    ulysses umberto uri vaclav valentin valentina valery vance vasily vaughn vernon vicente vicki vicky viktor vince
    virgil vito vivian vivienne vlad wade waldo walt wanda warner wendell wesley whitney wilbur wilfred willa
    willard willy wilma woodrow wyatt yasser yitzhak yolanda zach zelda zoltan"""
)

# The most frequent surnames of several countries, and some of people known by them alone; no common word.
SURNAMES = _words(
    """adams ahmed alexander ali allen almeida alvarez andersen anderson aristotle bach bailey baker barnes barrett
    bauer beethoven bennett bertrand bianchi bismarck blair booth boyd braun brezhnev brown bryant burns bush butler
    byrne caesar campbell carlson carter carvalho castillo castro chang chapman chavez chen cheney choi chopin
    christensen chung churchill clark clinton coleman collins conti cooper copernicus cox crawford daniels darwin
    davis descartes diaz dickens dixon dole dostoevsky doyle dubois dukakis dupont dvorak edwards einstein
    eisenhower esposito evans ferguson fernandez ferrari ferreira fischer fisher flores foster fraser freeman freud
    galileo gallagher gallo gandhi gao garcia gibson gomez gonzalez gorbachev gordon graham greco griffin griffith
    guo gupta gutierrez hamilton hansen harris harrison hartmann hassan hawkins hayes hegel henderson henry
    hernandez herrera hicks hitler hoffmann hofmann holmes horvath howard huang hughes hunt hussain ionescu jenkins
    jensen jimenez johnson jones kang kant kato kelly kennedy kepler kerry khan khrushchev kim kissinger klein
    kobayashi koch kovacs kowalski krause krueger kumar lange larson laurent lee lefebvre lehmann lenin leroy lin
    lincoln liu lopez luo lynch macdonald mackenzie mandela mao marino marshall martin martinez marx mason matisse
    mccain mccarthy mcdonald mcdonnell medina mendoza meyer michelangelo miller mitchell mondale monet moore morales
    moreau moreno morris morrison mozart murphy murray mussolini myers nagy nakamura napoleon nascimento nehru
    nelson neumann newton nguyen nielsen nietzsche nixon novak nowak obama obrien oconnor oliveira olson oneill
    ortega ortiz osullivan oswald owens palmer papadopoulos parker patel patterson pedersen pereira perry petersen
    peterson phillips picasso plato popescu powell putin quayle quinn ramirez ramos raphael reagan reed rembrandt
    reynolds ricci richardson richter rivera roberts robertson robinson rodriguez rogers romano romero romney
    roosevelt ross rossi rousseau ruiz russell russo ryan sanchez sanders santos sasaki schaefer schmidt schneider
    schroeder schulz schwarz shakespeare sharma shaw silva simmons simpson singh smith snyder socrates sorensen
    souza stalin stevens stevenson stewart sullivan suzuki svoboda szabo takahashi tanaka taylor thatcher thomas
    thompson tolstoy torres toth truman tucker turner vargas verdi voltaire wagner wallace walsh wang warren
    watanabe watson webb weber werner williams wojcik wright wu yamada yamamoto yang yeltsin yoon yoshida zhang zhao
    zhou zhu zimmermann"""
)

COUNTRIES = _words(
    """afghanistan albania algeria andorra angola argentina armenia australia austria azerbaijan bahamas
    bahrain bangladesh barbados belarus belgium belize benin bhutan bolivia bosnia botswana brazil britain brunei
    bulgaria burkina_faso burma burundi cambodia cameroon canada chad chile china colombia congo costa_rica
    croatia cuba cyprus czech_republic czechoslovakia denmark djibouti dominican_republic ecuador egypt
    el_salvador england eritrea estonia ethiopia fiji finland france gabon gambia georgia germany ghana
    great_britain greece grenada guatemala guinea guyana haiti holland honduras hong_kong hungary iceland india
    indonesia iran iraq ireland israel italy ivory_coast jamaica japan jordan kazakhstan kenya korea kosovo
    kuwait kyrgyzstan laos latvia lebanon lesotho liberia libya liechtenstein lithuania luxembourg macau
    macedonia madagascar malawi malaysia maldives mali malta mauritania mauritius mexico moldova monaco
    mongolia montenegro morocco mozambique myanmar namibia nepal netherlands new_zealand nicaragua niger
    nigeria north_korea northern_ireland norway oman pakistan palestine panama papua_new_guinea paraguay peru
    philippines poland portugal puerto_rico qatar romania russia rwanda samoa saudi_arabia scotland senegal
    serbia sierra_leone singapore slovakia slovenia somalia south_africa south_korea soviet_union spain
    sri_lanka sudan suriname swaziland sweden switzerland syria taiwan tajikistan tanzania thailand tibet togo
    tonga trinidad tunisia turkey turkmenistan uganda ukraine united_arab_emirates united_kingdom
    united_states us usa uk ussr soviet uruguay uzbekistan vatican_city venezuela vietnam wales west_germany
    east_germany yemen yugoslavia zaire rhodesia zambia zimbabwe uae u_s u_k u_s_s_r u_s_a"""
)
REGIONS = _words(
    """alabama alaska arizona arkansas california colorado connecticut delaware florida hawaii idaho illinois
    indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi
    missouri montana nebraska nevada new_hampshire new_jersey new_mexico new_york north_carolina north_dakota
    ohio oklahoma oregon pennsylvania rhode_island south_carolina south_dakota tennessee texas utah vermont
    virginia washington west_virginia wisconsin wyoming ala ariz ark calif colo conn del fla ga ill ind kan ky
    la md mass mich minn miss mo mont neb nev n_h n_j n_m n_y n_c n_d okla ore pa r_i s_c s_d tenn tex vt va
    wash w_va wis wyo d_c alberta ontario quebec british_columbia manitoba saskatchewan nova_scotia
    new_south_wales queensland tasmania bavaria saxony hesse prussia catalonia andalusia galicia lombardy
    tuscany sicily sardinia piedmont provence normandy brittany burgundy siberia crimea kashmir punjab bengal
    gujarat kerala tamil_nadu maharashtra balkans scandinavia caucasus caribbean middle_east far_east
    africa asia europe america north_america south_america latin_america central_america antarctica oceania
    arctic atlantic pacific mediterranean baltic sahara himalayas alps andes"""
)
CITIES = _words(
    """abuja accra amman amsterdam ankara athens atlanta auckland austin baghdad baltimore bangalore bangkok
    barcelona beijing beirut belfast belgrade berlin bern birmingham bogota bombay bonn boston brasilia
    brisbane brooklyn brussels bucharest budapest buenos_aires cairo calcutta cambridge canberra cape_town
    caracas casablanca chennai chicago cincinnati cleveland cologne colombo copenhagen dallas damascus
    delhi denver detroit dhaka dresden dubai dublin edinburgh florence frankfurt geneva genoa glasgow hamburg
    hanoi harare havana helsinki hiroshima hollywood houston indianapolis istanbul jakarta jerusalem
    johannesburg kabul karachi kathmandu khartoum kiev kinshasa krakow kyoto lagos lahore leeds leipzig lima
    lisbon liverpool london los_angeles lyon madras madrid managua manchester manhattan manila marseille
    melbourne memphis mexico_city miami milan minneapolis minsk montreal moscow mumbai munich nairobi nagasaki
    naples new_delhi new_orleans new_york_city nice osaka oslo ottawa oxford paris philadelphia phoenix
    pittsburgh prague pretoria rangoon rio_de_janeiro riyadh rome rotterdam saigon san_diego san_francisco
    san_jose santiago sao_paulo sarajevo seattle seoul seville shanghai sofia st_louis st_petersburg stockholm
    strasbourg stuttgart sydney taipei tbilisi tehran tel_aviv tokyo toronto tripoli tunis turin valencia
    vancouver venice vienna vilnius warsaw washington_d_c wellington yokohama zagreb zurich"""
)
# Given names too ("Austin Dray"): before another word they do not tell a place.
PLACES_OR_GIVEN = _words(
    """alexandria austin brittany chad charlotte chelsea dallas denver florence georgia houston israel jordan kent
    lorraine madison milan paris phoenix savannah sofia sydney victoria virginia washington"""
)
PLACES = COUNTRIES | REGIONS | CITIES

OCCUPATIONS = (
    "president|chairman|chairwoman|chair|chief|director|manager|head|leader|spokesman|spokeswoman|spokesperson|"
    "secretary|minister|ambassador|governor|mayor|senator|officer|executive|analyst|economist|attorney|lawyer|"
    "professor|lecturer|researcher|scientist|physicist|chemist|biologist|mathematician|engineer|programmer|"
    "developer|architect|designer|editor|reporter|correspondent|journalist|columnist|publisher|coach|manager|"
    "trainer|player|captain|commander|agent|representative|member|partner|consultant|adviser|advisor|curator|"
    "librarian|teacher|principal|dean|rector|surgeon|physician|nurse|pilot|inspector|detective|coordinator|"
    "administrator|superintendent|treasurer|trustee|founder|co-founder|owner|employee|worker|producer|conductor|"
    "negotiator|official|prosecutor|judge|deputy|delegate|ceo|cto|cfo"
)
CALLINGS = (
    "actor|actress|singer|songwriter|musician|composer|pianist|violinist|guitarist|drummer|rapper|painter|"
    "sculptor|artist|photographer|writer|author|novelist|poet|playwright|screenwriter|filmmaker|historian|"
    "philosopher|theologian|priest|bishop|politician|diplomat|soldier|general|admiral|businessman|businesswoman|"
    "entrepreneur|inventor|explorer|astronaut|astronomer|footballer|cricketer|swimmer|boxer|wrestler|cyclist|"
    "runner|racer|gymnast|skier|nobleman|king|queen|emperor|activist|model|comedian|dancer|chef|farmer|"
    "carpenter|baker|doctor|student"
)
KIN = "widow|widower|wife|husband|son|daughter|brother|sister|man|woman|boy|girl"
