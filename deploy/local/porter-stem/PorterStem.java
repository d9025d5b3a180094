package trivium.analysis;

import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.elasticsearch.plugin.NamedComponent;
import org.elasticsearch.plugin.analysis.TokenFilterFactory;

/** The full distribution's `porter_stem` token filter, for the minimal one. */
@NamedComponent("porter_stem")
public class PorterStem implements TokenFilterFactory {
    @Override
    public TokenStream create(TokenStream tokens) {
        return new PorterStemFilter(tokens);
    }
}
